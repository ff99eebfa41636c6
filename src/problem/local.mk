libcore_la_SOURCES += \
	%D%/consensus.c \
	%D%/dataset.c %D%/dataset.h \
	%D%/gradient_check.c \
	%D%/linear.c \
	%D%/minibatch.c \
	%D%/problem.c %D%/problems.h %D%/problems.def \
	%D%/quadratic.c

# Row products.
libkernels_la_SOURCES += %D%/rows.c %D%/rows.h
