libcore_la_SOURCES += %D%/pool.h
