// The fmt library within kumihimo-iod-alone, which takes none of the machine: what others find in the shared library is
// compiled here (with -fkeep-inline-functions: all of it, though nobody in this file calls it).
#define FMT_HEADER_ONLY
#include <fmt/format.h>
