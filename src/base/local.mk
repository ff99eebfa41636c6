libcore_la_SOURCES += \
	%D%/arena.c %D%/arena.h \
	%D%/array.c \
	%D%/clock.c %D%/clock.h \
	%D%/clones.h \
	%D%/cursor.h \
	%D%/fail.c %D%/fail.h \
	%D%/file.c %D%/file.h \
	%D%/flush.c %D%/flush.h \
	%D%/lanczos.c %D%/lanczos.h \
	%D%/locate.c \
	%D%/npy.c %D%/npy.h \
	%D%/random.c \
	%D%/spec.c %D%/spec.h \
	%D%/sum.h \
	%D%/text.c %D%/text.h

# Vector kernels want the vectoriser.
noinst_LTLIBRARIES += libvector.la
libvector_la_SOURCES = %D%/vector.c %D%/vector_kernels.inc
libvector_la_CFLAGS = $(AM_CFLAGS) -O3
libcore_la_LIBADD += libvector.la

# Installed sample data and topologies.
AM_CPPFLAGS += -DP2P_DATADIR=\"$(pkgdatadir)\"
