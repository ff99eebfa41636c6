libcore_la_SOURCES += \
	%D%/sim_network.c %D%/sim_network.h \
	%D%/transport.c %D%/transport.h %D%/transports.def \
	%D%/zmq_link.c %D%/zmq_link.h \
	%D%/zmq_zap.c %D%/zmq_zap.h
