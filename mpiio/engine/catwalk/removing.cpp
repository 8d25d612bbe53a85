#include "mpiio/engine/catwalk/removing.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/format.hpp"
#include "mpiio/engine/catwalk/failures.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

// docs/wire-protocol.md, "Records that survive". Of a file that is no more they say nothing.
void remove_markers(const std::filesystem::path& file) {
    const std::string prefix = "." + file.filename().string() + ".kumihimo-incomplete-";
    std::error_code ignored;
    const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        if (entry.path().filename().string().starts_with(prefix)) std::filesystem::remove(entry.path(), ignored);
}

}  // namespace

std::optional<Failure> remove_file(const std::string& path) {
    if (::unlink(path.c_str()) != 0)
        return failure_of(iod::Status::of_errno(errno, fmt::format("cannot delete '{}'", path)), path);
    remove_markers(path);
    return std::nullopt;
}

}  // namespace kumihimo::mpiio::catwalk
