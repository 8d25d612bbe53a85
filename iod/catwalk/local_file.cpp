#include "iod/catwalk/local_file.hpp"

#include <unistd.h>

#include <cerrno>

namespace kumihimo::iod::process {

std::filesystem::path local_directory(const std::string& wanted) {
    std::error_code none;
    return wanted.empty() ? std::filesystem::temp_directory_path(none) : std::filesystem::path(wanted);
}

bool write_all(int file, std::uint64_t position, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t moved = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(position));
        if (moved < 0 && errno == EINTR) continue;
        if (moved <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
        position += static_cast<std::uint64_t>(moved);
    }
    return true;
}

bool read_all(int file, std::uint64_t position, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t moved = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(position));
        if (moved < 0 && errno == EINTR) continue;
        if (moved == 0) errno = EIO;  // the file is shorter than it was
        if (moved <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(moved));
        position += static_cast<std::uint64_t>(moved);
    }
    return true;
}

}  // namespace kumihimo::iod::process
