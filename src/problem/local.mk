libcore_la_SOURCES += \
	%D%/consensus.c \
	%D%/dataset.c %D%/dataset.h \
	%D%/gradient_check.c \
	%D%/linear.c \
	%D%/minibatch.c \
	%D%/problem.c %D%/problems.h %D%/problems.def \
	%D%/quadratic.c

# Row products want the vectoriser.
noinst_LTLIBRARIES += librows.la
librows_la_SOURCES = %D%/rows.c %D%/rows.h
librows_la_CFLAGS = $(AM_CFLAGS) -O3
libcore_la_LIBADD += librows.la
