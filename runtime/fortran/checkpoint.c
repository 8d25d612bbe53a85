/* Checkpoints under the names that gfortran gives to external procedures (xmp_lib.h); the lengths of strings come last. */
#define KUMIHIMO_WITHOUT_MPI /* these are for all MPI families */
#include <stdlib.h>
#include <string.h>

#include "kumihimo/xmp_io.h"

/* What Fortran calls this name: blanks at the end belong to the variable. To be freed. */
static char* c_name(const char* name, size_t length) {
    while (length > 0 && name[length - 1] == ' ') --length;
    return strndup(name, length);
}

int xmp_checkpoint_save_values_(const char* name, const int* n, const xmp_desc_t* arrays, const void* values, const int* bytes,
                                size_t length) {
    char* const file = c_name(name, length);
    const long long number = xmp_checkpoint_save_values(file, *n, arrays, values, (size_t)*bytes);
    free(file);
    return (int)number;
}

int xmp_checkpoint_restore_values_(const char* name, const int* n, const xmp_desc_t* arrays, void* values, const int* bytes,
                                   size_t length) {
    char* const file = c_name(name, length);
    const long long number = xmp_checkpoint_restore_values(file, *n, arrays, values, (size_t)*bytes);
    free(file);
    return (int)number;
}

int xmp_checkpoint_save_(const char* name, const int* n, const xmp_desc_t* arrays, size_t length) {
    const int none = 0;
    return xmp_checkpoint_save_values_(name, n, arrays, NULL, &none, length);
}

int xmp_checkpoint_restore_(const char* name, const int* n, const xmp_desc_t* arrays, size_t length) {
    const int none = 0;
    return xmp_checkpoint_restore_values_(name, n, arrays, NULL, &none, length);
}

int xmp_checkpoint_latest_(const char* name, size_t length) {
    char* const file = c_name(name, length);
    const long long number = xmp_checkpoint_latest(file);
    free(file);
    return (int)number;
}

void xmp_io_error_(char* message, size_t length) {
    const char* const text = xmp_io_error();
    const size_t shown = strnlen(text, length);
    memset(message, ' ', length);
    memcpy(message, text, shown);
}
