libcore_la_SOURCES += \
	%D%/consensus.c \
	%D%/csv.c \
	%D%/data_read.c \
	%D%/dataset.c %D%/dataset.h \
	%D%/deal.c %D%/deal.h \
	%D%/domain.c %D%/domain.h \
	%D%/gradient_check.c \
	%D%/libsvm.c \
	%D%/linear.c \
	%D%/lines.c %D%/lines.h \
	%D%/matfac.c \
	%D%/minibatch.c \
	%D%/mlp.c \
	%D%/npy_rows.c \
	%D%/problem.c %D%/problems.h %D%/problems.def \
	%D%/prox.c %D%/prox.h %D%/prox_kernels.inc \
	%D%/quadratic.c \
	%D%/records.h \
	%D%/robust_ls.c \
	%D%/saddle.c \
	%D%/sensing.c \
	%D%/softmax.c \
	%D%/split.c \
	%D%/table_param.h \
	%D%/tiny_gan.c

# Row products, and the passes through a network.
libkernels_la_SOURCES += \
	%D%/dense_net.c %D%/dense_net.h %D%/dense_net_passes.inc \
	%D%/rows.c %D%/rows.h
