libcore_la_SOURCES += \
	%D%/control.c %D%/control.h \
	%D%/header.c %D%/header.h \
	%D%/hello.c %D%/hello.h \
	%D%/identity.c
