/* What a compressor does to one vector: bits, errors against its declared constants, speed. */
#ifndef COMPRESS_MEASURE_H
#define COMPRESS_MEASURE_H

#include <p2popt.h>

typedef struct {
    size_t draws;    /* messages of a random compressor, or one with memory; others need one */
    double seconds;  /* of each timing; 0: no timing */
    p2p_env env;     /* of the first message; the round counts up. scale 0: the largest |x_i| */
    size_t nodes;
} compress_setting;

/** What was found. Errors are relative to the vector's norm, NaN where that is 0. */
typedef struct {
    char spec[1024];
    p2p_compressor_constants constants;
    size_t draws;
    double bits_lean, bits_frame, bits_nominal; /* of a message, mean */
    double error;          /* mean of ||C(x) - x||^2 / ||x||^2 */
    double error_allowed;  /* by the constants; NaN if they say nothing */
    double error_room;     /* five standard errors of `error` */
    double error_largest;  /* mean of max |C(x) - x| / max |x| */
    double bias;           /* ||mean C(x) - x|| / ||x|| */
    double bias_allowed;   /* five standard errors, for an unbiased compressor; else NaN */
    double bits_bound;     /* fewest bits that any compressor of this error needs; NaN where there is no bound */
    double encode, decode, add, copy; /* GB of vector a second, and memcpy's; NaN without timing */
} compress_figures;

/** Whether the figures keep to the constants: 1, 0, or -1 where there are none to keep to. */
int compress_verdict(const compress_figures *f);

/** Open the compressor for x, run it, and fill the figures. Errors are those of the library; P2P_ENOMEM. */
p2p_status compress_measure(compress_figures *out, const char *spec, p2p_view x, const compress_setting *setting);

#endif
