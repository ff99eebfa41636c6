libcore_la_SOURCES += \
	%D%/catalogue.c %D%/catalogue.h \
	%D%/description.h \
	%D%/live_view.c %D%/live_view.h \
	%D%/plan.c %D%/plan.h \
	%D%/stop.c %D%/stop.h \
	%D%/swarm.c \
	%D%/swarm_file.c
