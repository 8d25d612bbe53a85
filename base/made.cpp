#include "base/made.hpp"

// One for all libraries: the dynamic linker takes the first of this name.
extern "C" __attribute__((visibility("default"))) constinit kumihimo::base::Made kumihimo_made;
constinit kumihimo::base::Made kumihimo_made{};

namespace kumihimo::base {

Made& made() {
    return kumihimo_made;
}

}  // namespace kumihimo::base
