libcore_la_SOURCES += \
	%D%/bits.h %D%/integer_codes.h %D%/rice_parameter.h %D%/varint.h \
	%D%/huffman.c %D%/huffman.h \
	%D%/range_coder.c %D%/range_coder.h \
	%D%/trits.c %D%/trits.h \
	%D%/index_section.c %D%/index_section.h \
	%D%/generalised_normal.c %D%/generalised_normal.h %D%/law_code.c %D%/law_code.h \
	%D%/value_section.c %D%/value_section.h %D%/value_reader.c \
	%D%/compress_draws.c %D%/compress_draws.h \
	%D%/pipeline.c %D%/pipeline.h \
	%D%/pipeline_encode.c %D%/pipeline_symbols.c %D%/pipeline_fields.c %D%/pipeline_decode.c %D%/frame_head.c %D%/frame_head.h %D%/pipeline_frame.c %D%/pipeline_collective.c \
	%D%/collective.c %D%/collective.h \
	%D%/pipeline_options.c %D%/pipeline_parts.h \
	%D%/operand.c %D%/operand.h \
	%D%/compressor.c %D%/compressor_spec.c %D%/compressor_table.h \
	%D%/compressor_registry.c %D%/compressor_registry.h %D%/compressors.def \
	%D%/identity_compressor.c %D%/topk.c %D%/randk.c %D%/permk.c %D%/blocks.c \
	%D%/threshold.c %D%/bernoulli.c %D%/arand.c %D%/sidco.c %D%/dgc.c \
	%D%/memory_scheme.c %D%/memory_scheme.h %D%/adacomp.c %D%/vgc.c \
	%D%/fastsgd.c %D%/gap_classes.c %D%/gap_classes.h %D%/msb_bits.h \
	%D%/common_codes.c %D%/sign.c %D%/onebit.c %D%/terngrad.c %D%/qsgd.c \
	%D%/cnat.c %D%/dithering.c %D%/sdither.c %D%/spherical.c %D%/fosgd.c \
	%D%/bounded.c %D%/round.c %D%/threelc.c %D%/fp.c \
	%D%/reals_frame.c %D%/reals_frame.h %D%/clt.c %D%/mlmc.c %D%/max_norm.c %D%/max_norm.h %D%/max_norm_collective.c %D%/stage_fields.c %D%/stage_fields.h %D%/low_rank.c %D%/low_rank.h %D%/low_rank_collective.c %D%/low_rank_svd.c %D%/powersgd.c %D%/lowrank.c \
	%D%/projection.c %D%/projection.h %D%/sketch.c %D%/jl.c %D%/hdc.c \
	%D%/container.c %D%/container.h %D%/induced.c %D%/layers.c \
	%D%/lhc.c %D%/lhc.h %D%/lhc_collective.c %D%/peeling.c %D%/peeling.h \
	%D%/scaled.c %D%/feedback.c

# Loops over every entry.
libkernels_la_SOURCES += \
	%D%/compress_kernels.c %D%/compress_kernels.h %D%/compress_kernels.inc \
	%D%/fixed_width.c %D%/fixed_width.h \
	%D%/hadamard.c %D%/hadamard.h \
	%D%/float_kernels.c %D%/float_kernels.h %D%/float_kernels.inc \
	%D%/reals.c %D%/reals.h \
	%D%/top_collect.c %D%/top_collect.h %D%/top_collect.inc %D%/top_collect_x86.c \
	%D%/top_selection.c %D%/top_selection.h
