libcore_la_SOURCES += \
	%D%/collective.c %D%/collective.h \
	%D%/compress_draws.c %D%/compress_draws.h \
	%D%/compressor.c %D%/compressor_spec.c %D%/compressor_table.h \
	%D%/compressor_registry.c %D%/compressor_registry.h %D%/compressors.def \
	%D%/layered_spec.h \
	%D%/operand.c %D%/operand.h

# Lossless codes of indices and symbols.
libcore_la_SOURCES += \
	%D%/coding/bits.h %D%/coding/msb_bits.h \
	%D%/coding/gap_classes.c %D%/coding/gap_classes.h \
	%D%/coding/generalised_normal.c %D%/coding/generalised_normal.h \
	%D%/coding/huffman.c %D%/coding/huffman.h \
	%D%/coding/index_section.c %D%/coding/index_section.h \
	%D%/coding/integer_codes.h %D%/coding/rice_parameter.h %D%/coding/varint.h \
	%D%/coding/law_code.c %D%/coding/law_code.h \
	%D%/coding/range_coder.c %D%/coding/range_coder.h \
	%D%/coding/trits.c %D%/coding/trits.h \
	%D%/coding/value_reader.c %D%/coding/value_section.c %D%/coding/value_section.h

# Bytes around them.
libcore_la_SOURCES += \
	%D%/frames/container.c %D%/frames/container.h \
	%D%/frames/frame_head.c %D%/frames/frame_head.h \
	%D%/frames/reals_frame.c %D%/frames/reals_frame.h \
	%D%/frames/stage_fields.c %D%/frames/stage_fields.h

# A sparsifier, a quantiser, or one behind the other.
libcore_la_SOURCES += \
	%D%/pipeline/common_codes.c \
	%D%/pipeline/memory_scheme.c %D%/pipeline/memory_scheme.h \
	%D%/pipeline/pipeline.c %D%/pipeline/pipeline.h \
	%D%/pipeline/pipeline_collective.c \
	%D%/pipeline/pipeline_decode.c \
	%D%/pipeline/pipeline_encode.c \
	%D%/pipeline/pipeline_fields.c \
	%D%/pipeline/pipeline_frame.c \
	%D%/pipeline/pipeline_options.c %D%/pipeline/pipeline_parts.h \
	%D%/pipeline/pipeline_symbols.c

libcore_la_SOURCES += \
	%D%/sparsifiers/adacomp.c \
	%D%/sparsifiers/arand.c \
	%D%/sparsifiers/bernoulli.c \
	%D%/sparsifiers/blocks.c \
	%D%/sparsifiers/clt.c \
	%D%/sparsifiers/dgc.c \
	%D%/sparsifiers/fastsgd.c \
	%D%/sparsifiers/identity_compressor.c \
	%D%/sparsifiers/mlmc.c \
	%D%/sparsifiers/permk.c \
	%D%/sparsifiers/randk.c \
	%D%/sparsifiers/sidco.c \
	%D%/sparsifiers/threshold.c \
	%D%/sparsifiers/topk.c \
	%D%/sparsifiers/vgc.c

libcore_la_SOURCES += \
	%D%/quantisers/bounded.c \
	%D%/quantisers/cnat.c \
	%D%/quantisers/dithering.c \
	%D%/quantisers/fosgd.c \
	%D%/quantisers/fp.c \
	%D%/quantisers/max_norm.c %D%/quantisers/max_norm.h %D%/quantisers/max_norm_collective.c \
	%D%/quantisers/onebit.c \
	%D%/quantisers/qsgd.c \
	%D%/quantisers/round.c \
	%D%/quantisers/sdither.c \
	%D%/quantisers/sign.c \
	%D%/quantisers/spherical.c \
	%D%/quantisers/terngrad.c \
	%D%/quantisers/threelc.c

# Linear maps and low rank.
libcore_la_SOURCES += \
	%D%/linear/hdc.c \
	%D%/linear/jl.c \
	%D%/linear/low_rank.c %D%/linear/low_rank.h %D%/linear/low_rank_collective.c \
	%D%/linear/low_rank_svd.c %D%/linear/lowrank.c \
	%D%/linear/powersgd.c \
	%D%/linear/projection.c %D%/linear/projection.h \
	%D%/linear/sketch.c

# Schemes around other compressors.
libcore_la_SOURCES += \
	%D%/around/feedback.c \
	%D%/around/induced.c \
	%D%/around/layers.c \
	%D%/around/lhc.c %D%/around/lhc.h %D%/around/lhc_collective.c \
	%D%/around/peeling.c %D%/around/peeling.h \
	%D%/around/scaled.c

# Loops over every entry.
libkernels_la_SOURCES += \
	%D%/kernels/compress_kernels.c %D%/kernels/compress_kernels.h %D%/kernels/compress_kernels.inc \
	%D%/kernels/fixed_width.c %D%/kernels/fixed_width.h \
	%D%/kernels/float_kernels.c %D%/kernels/float_kernels.h %D%/kernels/float_kernels.inc \
	%D%/kernels/hadamard.c %D%/kernels/hadamard.h \
	%D%/kernels/reals.c %D%/kernels/reals.h \
	%D%/kernels/top_collect.c %D%/kernels/top_collect.h %D%/kernels/top_collect.inc \
	%D%/kernels/top_collect_x86.c \
	%D%/kernels/top_selection.c %D%/kernels/top_selection.h
