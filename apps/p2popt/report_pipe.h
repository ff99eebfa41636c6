/* What a node process tells the `p2popt run` that started it: reports, log lines and its failure, over a pipe. */
#ifndef REPORT_PIPE_H
#define REPORT_PIPE_H

#include <p2popt.h>
#include <sys/types.h>

/* Both ends are one program, so records are structs as they lie in memory: a head, then length bytes. */
enum { REPORT_PIPE_MAX = 1 << 30 };

/** Write records; 0 if the reader is gone. Blocks while the pipe is full. */
int report_pipe_report(int fd, const p2p_report *report);
int report_pipe_log(int fd, int level, const char *line);
int report_pipe_failure(int fd, p2p_status status, const char *sentence);

/** The reading end: bytes that have come in, and what to do with whole records. */
typedef struct {
    unsigned char *bytes;
    size_t have, cap;
} report_reader;

typedef struct {
    void *user;
    void (*report)(void *user, const p2p_report *report);
    void (*log)(void *user, int level, const char *line);
    void (*failure)(void *user, p2p_status status, const char *sentence);
} report_handlers;

/** Read what is there once and handle whole records. 1: go on; 0: the writer is gone; -1: no memory, or not records. */
int report_reader_take(report_reader *self, int fd, const report_handlers *handlers);
void report_reader_clear(report_reader *self);

#endif
