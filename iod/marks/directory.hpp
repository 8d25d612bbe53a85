// A directory, held open: what lies in it is found there although it may be moved meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/descriptor.hpp"

namespace kumihimo::iod::marks {

class Directory {
public:
    Directory() = default;                        // none
    explicit Directory(const std::string& path);  // none if it cannot be opened
    Directory duplicate() const;
    explicit operator bool() const { return static_cast<bool>(descriptor_); }

    int get() const { return descriptor_.get(); }
    const std::string& path() const { return path_; }  // without links, as it was when it was opened; for messages

    using Visit = std::function<void(const char* name, std::uint64_t inode)>;
    void for_each(const Visit& visit) const;  // of nothing if it may not be read

private:
    base::Descriptor descriptor_;
    std::string path_;
};

// Where an open file or directory lies now, without links; empty if nobody can tell (no /proc, another root).
std::string path_of(int descriptor);

}  // namespace kumihimo::iod::marks
