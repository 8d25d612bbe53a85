// Copies a file between machines, or on one. The copy grows under a name of its own, .NAME.kumihimo-part; what an earlier copy
// left there is kept as far as it is the same. Only one command at a time writes it. When the digest of the whole agrees, it
// gets its name: until then whoever looks finds the file that was there before.
#pragma once

#include <functional>

#include "iod/errands/place.hpp"

namespace kumihimo::iod::errands {

struct Copied {
    std::string to;  // path of the copy
    std::int64_t bytes = 0, resumed_at = 0, digest = 0;
};

// `phase`: "comparing" (what is there already), "copying", "checking".
using Progress = std::function<void(const char* phase, std::int64_t done, std::int64_t of)>;
Copied copy(const Place& from, const Place& to, const Progress& progress);  // throws Failure

// Of the whole file, and its length.
struct Digest {
    std::int64_t bytes = 0, value = 0;
};
Digest digest_of(const Place& place);  // throws Failure

}  // namespace kumihimo::iod::errands
