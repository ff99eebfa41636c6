# make bench: measures the engine and the kernels; see bench/README.md.
bench_programs = %D%/aggregator_bench %D%/compressor_bench %D%/engine_bench %D%/gradient_bench %D%/kernel_bench %D%/sim_bench
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
bench_aggregator_bench_SOURCES = %D%/aggregator_bench.c %D%/bench.c %D%/bench.h
bench_aggregator_bench_LDADD = libp2popt.la
bench_compressor_bench_SOURCES = %D%/compressor_bench.c %D%/bench.c %D%/bench.h
bench_compressor_bench_LDADD = libp2popt.la
bench_engine_bench_SOURCES = %D%/engine_bench.c %D%/raw_ring.c %D%/raw_ring.h %D%/bench.c %D%/bench.h
bench_engine_bench_LDADD = $(ZMQ_LIBS) $(JANSSON_LIBS) -lpthread
bench_gradient_bench_SOURCES = %D%/gradient_bench.c %D%/bench.c %D%/bench.h
bench_gradient_bench_LDADD = libp2popt.la $(BLAS_LIBS)
bench_kernel_bench_SOURCES = %D%/kernel_bench.c %D%/bench.c %D%/bench.h
bench_kernel_bench_LDADD = libp2popt.la $(BLAS_LIBS)
bench_sim_bench_SOURCES = %D%/sim_bench.c %D%/bench.c %D%/bench.h
bench_sim_bench_LDADD =

EXTRA_DIST += %D%/run-bench.sh %D%/README.md
CLEANFILES += %D%/rows.tsv %D%/results.json

# BENCH="engine kernels" measures these parts only.
.PHONY: bench
bench: p2popt$(EXEEXT) $(bench_programs)
	$(top_srcdir)/bench/run-bench.sh $(BENCH)
