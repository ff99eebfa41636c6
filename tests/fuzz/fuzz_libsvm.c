/* LIBSVM text, plain or compressed. */
#include "fuzz_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    fuzz_data("libsvm:", bytes, len);
    return 0;
}
