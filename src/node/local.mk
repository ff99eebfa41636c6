libcore_la_SOURCES += \
	%D%/agreement.c \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/saving.c \
	%D%/catalogue.c %D%/catalogue.h \
	%D%/description.h \
	%D%/drive.c %D%/drive.h \
	%D%/live_view.c %D%/live_view.h \
	%D%/lying.c \
	%D%/machine.c %D%/machine.h %D%/machine_inside.h \
	%D%/members.c \
	%D%/node.c \
	%D%/opening.c \
	%D%/outbox.c \
	%D%/pairing.c \
	%D%/plan.c %D%/plan.h \
	%D%/rounds.c \
	%D%/sim_run.c %D%/sim_run.h \
	%D%/squeeze.c %D%/squeeze.h \
	%D%/stop.c %D%/stop.h \
	%D%/swarm.c \
	%D%/swarm_file.c \
	%D%/swarm_run.c \
	%D%/byzantine.c %D%/byzantine.h
