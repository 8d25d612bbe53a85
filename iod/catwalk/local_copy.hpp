// What a host read of a file and has no memory for, on its own disk (the paper on Catwalk, section 2.1: ranks read a local
// copy). The copy has no name, so nothing is left of it whatever happens. It is a convenience: what cannot be kept here is
// fetched again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace kumihimo::iod::process {

class LocalCopy {
public:
    // directory empty: TMPDIR, else /tmp, unless that is memory (tmpfs), which is not for files of any size.
    explicit LocalCopy(std::string directory) : directory_(std::move(directory)) {}

    bool write(std::uint64_t position, std::span<const std::byte> bytes);  // false: there is no room, until clear()
    bool read(std::uint64_t position, std::span<std::byte> to);            // of what was written
    void clear();
    std::uint64_t written_bytes() const { return written_; }

private:
    bool begin();
    bool open();
    bool has_room(std::size_t bytes) const;

    std::string directory_;
    base::Descriptor file_;
    bool unusable_ = false, full_ = false;
    std::uint64_t written_ = 0;
};

}  // namespace kumihimo::iod::process
