# Targets for libFuzzer (configure --enable-fuzz CC=clang, then ./fuzz_edges tests/fuzz/corpus/edges). Without it they
# are check programs that run their corpus: a target's folder in corpus/ is FUZZ_CORPUS.
fuzz_programs = \
	fuzz_checkpoint \
	fuzz_compress \
	fuzz_csv \
	fuzz_edges \
	fuzz_graphml \
	fuzz_libsvm \
	fuzz_npy
fuzz_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz
EXTRA_DIST += %D%/corpus
if FUZZ
noinst_PROGRAMS += $(fuzz_programs)
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
fuzz_driver =
else
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
fuzz_ldflags = $(AM_LDFLAGS)
fuzz_driver = %D%/fuzz_main.c
endif

fuzz_compress_SOURCES = %D%/fuzz_compress.c tests/contract/compressor_specs.c tests/contract/compressor_specs.h \
	$(fuzz_driver)
fuzz_compress_CPPFLAGS = $(fuzz_cppflags) -I$(top_srcdir)/tests/contract -DFUZZ_CORPUS=\"compress\"
fuzz_compress_LDFLAGS = $(fuzz_ldflags)
fuzz_compress_LDADD = libcore.la

fuzz_checkpoint_SOURCES = %D%/fuzz_checkpoint.c $(fuzz_driver)
fuzz_checkpoint_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"checkpoint\"
fuzz_checkpoint_LDFLAGS = $(fuzz_ldflags)
fuzz_checkpoint_LDADD = libcore.la

fuzz_edges_SOURCES = %D%/fuzz_edges.c %D%/fuzz_topology.c %D%/fuzz_topology.h $(fuzz_driver)
fuzz_edges_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"edges\"
fuzz_edges_LDFLAGS = $(fuzz_ldflags)
fuzz_edges_LDADD = libcore.la

fuzz_graphml_SOURCES = %D%/fuzz_graphml.c %D%/fuzz_topology.c %D%/fuzz_topology.h $(fuzz_driver)
fuzz_graphml_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"graphml\"
fuzz_graphml_LDFLAGS = $(fuzz_ldflags)
fuzz_graphml_LDADD = libcore.la

fuzz_csv_SOURCES = %D%/fuzz_csv.c %D%/fuzz_data.c %D%/fuzz_data.h $(fuzz_driver)
fuzz_csv_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"csv\"
fuzz_csv_LDFLAGS = $(fuzz_ldflags)
fuzz_csv_LDADD = libcore.la

fuzz_libsvm_SOURCES = %D%/fuzz_libsvm.c %D%/fuzz_data.c %D%/fuzz_data.h $(fuzz_driver)
fuzz_libsvm_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"libsvm\"
fuzz_libsvm_LDFLAGS = $(fuzz_ldflags)
fuzz_libsvm_LDADD = libcore.la

fuzz_npy_SOURCES = %D%/fuzz_npy.c %D%/fuzz_data.c %D%/fuzz_data.h $(fuzz_driver)
fuzz_npy_CPPFLAGS = $(fuzz_cppflags) -DFUZZ_CORPUS=\"npy\"
fuzz_npy_LDFLAGS = $(fuzz_ldflags)
fuzz_npy_LDADD = libcore.la
