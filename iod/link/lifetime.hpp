// How long an I/O process lives.
#pragma once

namespace kumihimo::iod {

enum class Lifetime {
    of_its_connections,  // ranks keep them for their next files
    of_its_files,        // a thread: it must not hold up the end of its process
};

}  // namespace kumihimo::iod
