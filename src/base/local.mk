libcore_la_SOURCES += \
	%D%/arena.c %D%/arena.h \
	%D%/array.c \
	%D%/clock.c %D%/clock.h \
	%D%/clones.h \
	%D%/cursor.h \
	%D%/decimal.c %D%/decimal.h \
	%D%/fail.c %D%/fail.h \
	%D%/file.c %D%/file.h \
	%D%/flush.c %D%/flush.h \
	%D%/locate.c \
	%D%/npy.c %D%/npy.h \
	%D%/spec.c %D%/spec.h \
	%D%/sum.h \
	%D%/symmetric.c %D%/symmetric.h \
	%D%/text.c %D%/text.h

# Kernels of all rooms: they want the vectoriser. Automake puts CFLAGS last, so -O3 must take the place of its -O2.
noinst_LTLIBRARIES += libkernels.la
libkernels_la_SOURCES = \
	%D%/lanczos.c %D%/lanczos.h \
	%D%/processor.h %D%/philox.c %D%/philox.h %D%/philox_x86.c %D%/philox_lanes.inc \
	%D%/random.c \
	%D%/vector.c %D%/vector_kernels.inc
# No errno of a square root: it is one instruction, the same value.
libkernels_la_CFLAGS = $(AM_CFLAGS) -fno-math-errno
$(libkernels_la_OBJECTS): CFLAGS := $(CFLAGS:-O2=-O3)
libcore_la_LIBADD += libkernels.la

# Installed sample data and topologies.
AM_CPPFLAGS += -DP2P_DATADIR=\"$(pkgdatadir)\"
