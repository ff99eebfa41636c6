/* Options that dense formats share. */
#ifndef P2PI_TABLE_PARAM_H
#define P2PI_TABLE_PARAM_H

#include <p2popt/option.h>

/** Parameters of csv and npy. */
typedef struct {
    int64_t label;     /* P2PI_LABEL_FIRST or _LAST */
    int64_t delimiter; /* csv: index into "auto|comma|semicolon|tab|space" */
    int64_t header;    /* csv: index into "auto|yes|no" */
} p2pi_table_param;

enum { P2PI_LABEL_FIRST, P2PI_LABEL_LAST };

#define P2PI_LABEL_OPTION                                                                                         \
    { "label", P2P_OPT_CHOICE, "first", "first|last", NULL, "column of the labels",                               \
      offsetof(p2pi_table_param, label) }

/** Take the label out of a line of count numbers; what is left are the features. */
static inline double
p2pi_table_label(const p2pi_table_param *param, double *numbers, size_t count, double **features)
{
    *features = param->label == P2PI_LABEL_FIRST ? numbers + 1 : numbers;
    return param->label == P2PI_LABEL_FIRST ? numbers[0] : numbers[count - 1];
}

#endif
