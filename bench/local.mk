# make bench: measures the engine and the kernels; see bench/README.md.
bench_programs = %D%/kernel_bench
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
bench_kernel_bench_SOURCES = %D%/kernel_bench.c %D%/bench.c %D%/bench.h
bench_kernel_bench_CFLAGS = $(AM_CFLAGS) $(BLAS_CFLAGS)
bench_kernel_bench_LDADD = libp2popt.la $(BLAS_LIBS)
