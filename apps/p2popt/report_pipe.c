#include "report_pipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum { RECORD_REPORT = 1, RECORD_LOG, RECORD_FAILURE } record_kind;

typedef struct {
    record_kind kind;
    int number; /* level of a log line, status of a failure */
    size_t length;
} record_head;

enum { ALIGNMENT = 8 }; /* of every record, so that vectors can be read where they lie */

static int
write_all(int fd, struct iovec *part, int parts)
{
    while (parts > 0) {
        ssize_t n = writev(fd, part, parts);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return 0;
        for (; parts > 0 && (size_t)n >= part->iov_len; part++, parts--)
            n -= (ssize_t)part->iov_len;
        if (parts > 0) {
            part->iov_base = (char *)part->iov_base + n;
            part->iov_len -= (size_t)n;
        }
    }
    return 1;
}

typedef struct {
    const void *bytes;
    size_t length;
} piece;

/* A head, up to three pieces, zeros to the next boundary. */
static int
write_record(int fd, record_kind kind, int number, piece a, piece b, piece c)
{
    static char zeros[ALIGNMENT];
    size_t length = a.length + b.length + c.length, padding = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
    record_head head;
    struct iovec parts[] = { { &head, sizeof head },
                             { (void *)a.bytes, a.length },
                             { (void *)b.bytes, b.length },
                             { (void *)c.bytes, c.length },
                             { zeros, padding } };

    memset(&head, 0, sizeof head);
    head.kind = kind;
    head.number = number;
    head.length = length + padding;
    return write_all(fd, parts, 5);
}

static piece
text_piece(const char *text)
{
    return (piece){ text, strlen(text) + 1 };
}

static const piece nothing = { NULL, 0 };

int
report_pipe_report(int fd, const p2p_report *report)
{
    piece fixed = { report, sizeof *report };
    piece iterate = { report->x.data, report->x.dim * p2p_dtype_size(report->x.type) };

    return write_record(fd, RECORD_REPORT, 0, fixed, iterate, text_piece(report->parameters ? report->parameters : ""));
}

int
report_pipe_log(int fd, int level, const char *line)
{
    return write_record(fd, RECORD_LOG, level, text_piece(line), nothing, nothing);
}

int
report_pipe_failure(int fd, p2p_status status, const char *sentence)
{
    return write_record(fd, RECORD_FAILURE, status, text_piece(sentence), nothing, nothing);
}

/* The pointers of a report are those of the other process: its vector and text lie behind it. */
static int
handle_report(const unsigned char *bytes, size_t length, const report_handlers *handlers)
{
    p2p_report report;
    size_t iterate;

    if (length < sizeof report)
        return 0;
    memcpy(&report, bytes, sizeof report);
    length -= sizeof report;
    bytes += sizeof report;
    if (report.x.dim > length / p2p_dtype_size(report.x.type))
        return 0;
    iterate = report.x.dim * p2p_dtype_size(report.x.type);
    if (memchr(bytes + iterate, '\0', length - iterate) == NULL)
        return 0;
    report.x.data = bytes;
    report.parameters = (const char *)bytes + iterate;
    handlers->report(handlers->user, &report);
    return 1;
}

static int
handle(const record_head *head, const unsigned char *bytes, const report_handlers *handlers)
{
    if (head->kind == RECORD_REPORT)
        return handle_report(bytes, head->length, handlers);
    if (head->length == 0 || bytes[head->length - 1] != '\0')
        return 0;
    if (head->kind == RECORD_LOG)
        handlers->log(handlers->user, head->number, (const char *)bytes);
    else if (head->kind == RECORD_FAILURE)
        handlers->failure(handlers->user, (p2p_status)head->number, (const char *)bytes);
    else
        return 0;
    return 1;
}

/* Whole records at the front; -1 for what cannot be one. Records stay aligned: the rest is moved to the front. */
static int
handle_whole(report_reader *self, const report_handlers *handlers)
{
    size_t at = 0;
    int ok = 1;

    while (ok && self->have - at >= sizeof(record_head)) {
        record_head head;

        memcpy(&head, self->bytes + at, sizeof head);
        if (head.length > REPORT_PIPE_MAX || head.length % ALIGNMENT != 0)
            return -1;
        if (self->have - at - sizeof head < head.length)
            break;
        ok = handle(&head, self->bytes + at + sizeof head, handlers);
        at += sizeof head + head.length;
    }
    memmove(self->bytes, self->bytes + at, self->have - at);
    self->have -= at;
    return ok ? 1 : -1;
}

int
report_reader_take(report_reader *self, int fd, const report_handlers *handlers)
{
    ssize_t n;

    if (self->cap - self->have < 65536) {
        size_t cap = self->cap * 2 + 65536;
        unsigned char *bytes = realloc(self->bytes, cap);

        if (bytes == NULL)
            return -1;
        self->bytes = bytes;
        self->cap = cap;
    }
    n = read(fd, self->bytes + self->have, self->cap - self->have);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 1 : -1;
    if (n == 0)
        return 0;
    self->have += (size_t)n;
    return handle_whole(self, handlers);
}

void
report_reader_clear(report_reader *self)
{
    free(self->bytes);
    memset(self, 0, sizeof *self);
}
