// Linked into programs of xmpcc --io=master: their calls of fopen come here (the linker's --wrap).
#include "runtime/xmpio/master_streams.h"

FILE* __wrap_fopen(const char* path, const char* mode);
FILE* __wrap_fopen64(const char* path, const char* mode);

FILE* __wrap_fopen(const char* path, const char* mode) {
    return XMP_Master_fopen(path, mode);
}

FILE* __wrap_fopen64(const char* path, const char* mode) {
    return XMP_Master_fopen(path, mode);
}

__attribute__((constructor)) static void choose(void) {
    XMP_Choose_master_streams();
}
