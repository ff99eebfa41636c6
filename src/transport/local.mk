libcore_la_SOURCES += \
	%D%/transport.c %D%/transport.h %D%/transports.def
