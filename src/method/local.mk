libcore_la_SOURCES += \
	%D%/a2sgd.c \
	%D%/accelerated.c \
	%D%/automatic.c %D%/automatic.h \
	%D%/cafe.c \
	%D%/choco.c \
	%D%/choco_opt.c \
	%D%/cold.c \
	%D%/compressed_tracking.c \
	%D%/combinations.c \
	%D%/compose.c \
	%D%/composite.c %D%/composite.h \
	%D%/consensus_gossip.c \
	%D%/context.c \
	%D%/corrected_feedback.c \
	%D%/dasha.c \
	%D%/deepsqueeze.c \
	%D%/dgd.c \
	%D%/engine_memory.c \
	%D%/engine.c %D%/engine.h %D%/engine_state.h \
	%D%/estimators.c \
	%D%/extra.c \
	%D%/extragradient.c \
	%D%/extragradient_gossip.c \
	%D%/flat_onebit.c \
	%D%/gradient_tracking.c \
	%D%/lead.c \
	%D%/liec.c \
	%D%/links.c \
	%D%/local_steps.c \
	%D%/marina.c \
	%D%/masha.c \
	%D%/mean_over_nodes.c %D%/mean_over_nodes.h \
	%D%/method_family.h %D%/method_registry.c %D%/methods.def \
	%D%/nids.c \
	%D%/neolithic.c \
	%D%/newton.c \
	%D%/movement.c %D%/movement.h \
	%D%/onebit_adam.c \
	%D%/optimiser.c %D%/optimiser.h \
	%D%/pairwise.c \
	%D%/range.c %D%/range.h \
	%D%/robust.c \
	%D%/robust_operator.c \
	%D%/rosdhb.c \
	%D%/sketched_ams.c \
	%D%/step_schedule.c %D%/step_schedule.h \
	%D%/scaffnew.c \
	%D%/server.c %D%/server.h %D%/server_rows.c \
	%D%/sgp.c \
	%D%/three_pillars.c \
	%D%/three_point.c \
	%D%/training.c %D%/training.h %D%/training_parts.c %D%/training_rows.c \
	%D%/variance.c
libkernels_la_SOURCES += \
	%D%/optimiser_kernels.c %D%/optimiser_kernels.h %D%/optimiser_kernels.inc \
	%D%/training_kernels.c %D%/training_kernels.h %D%/training_kernels.inc
