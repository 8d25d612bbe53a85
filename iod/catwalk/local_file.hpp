// Files on a host's own disk that hold what memory has no room for: journals, and what was read of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace kumihimo::iod::process {

// Where they lie. wanted empty: TMPDIR, else /tmp.
std::filesystem::path local_directory(const std::string& wanted);

// All or nothing; false: errno says why.
bool write_all(int file, std::uint64_t position, std::span<const std::byte> bytes);
bool read_all(int file, std::uint64_t position, std::span<std::byte> bytes);

}  // namespace kumihimo::iod::process
