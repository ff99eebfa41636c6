/* Figures as text for one compressor, a table for many, or JSON. */
#ifndef COMPRESS_REPORT_H
#define COMPRESS_REPORT_H

#include "compress_measure.h"

/** What was compressed, in words, with its norm. */
typedef struct {
    const char *name;
    p2p_view x;
} compress_subject;

void compress_print(const compress_figures *f, const compress_subject *subject);
void compress_print_table(const compress_figures *f, size_t count, const compress_subject *subject);
/** One object on one line, whatever the count. */
void compress_print_json(const compress_figures *f, size_t count, const compress_subject *subject);

#endif
