libcore_la_SOURCES += \
	%D%/all_reduce.c %D%/all_reduce.h \
	%D%/board.c %D%/board.h \
	%D%/exchange.c %D%/exchange.h \
	%D%/exchange_state.h \
	%D%/gossip.c \
	%D%/hub.c \
	%D%/liar.c \
	%D%/membership.c \
	%D%/named_state.c \
	%D%/pool.c %D%/pool.h \
	%D%/receiving.c \
	%D%/sending.c \
	%D%/slots.c

# Loops over whole vectors.
libkernels_la_SOURCES += %D%/gossip_kernels.c %D%/gossip_kernels.h %D%/gossip_kernels.inc
