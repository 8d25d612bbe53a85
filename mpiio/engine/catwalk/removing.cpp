#include "mpiio/engine/catwalk/removing.hpp"

#include "base/format.hpp"
#include "iod/marks/marks.hpp"
#include "mpiio/engine/failures.hpp"

namespace kumihimo::mpiio::catwalk {

std::optional<Failure> remove_file(const std::string& path) {
    const int number = iod::marks::remove_file(path);
    if (number == 0) return std::nullopt;
    return failure_of(iod::Status::of_errno(number, fmt::format("cannot delete '{}'", path)), path);
}

}  // namespace kumihimo::mpiio::catwalk
