libcore_la_SOURCES += %D%/engine.h
