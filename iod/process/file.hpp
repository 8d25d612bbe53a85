// A server's file, with the second law of I/O: success means that every byte was moved (DESIGN: short counts are resumed,
// EINTR and EAGAIN retried, a premature end is in the count). Used by one thread at a time, but for sync().
#pragma once

#include <span>
#include <string>

#include "base/descriptor.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

class File {
public:
    // `where`: for messages, "on node 2".
    File(std::string path, std::string where) : path_(std::move(path)), where_(std::move(where)) {}

    Status open(const OpenMode& mode);
    Status write(Offset offset, std::span<const std::byte> bytes);
    Status read(Offset offset, std::span<std::byte> bytes, std::size_t& got);  // got fewer: the file ended
    Status size(Offset& bytes);
    Status set_size(Offset bytes);
    Status preallocate(Offset bytes);  // never makes it shorter
    Status sync();                     // the data are on the device
    Status close();                    // of what was put off by a network file system this is the last chance to fail
    Status remove();

    const std::string& path() const { return path_; }
    bool is_regular() const { return regular_; }

private:
    Status failure(const std::string& what, int number) const;
    Status allocate_by_writing(Offset bytes);

    std::string path_, where_;
    base::Descriptor descriptor_;
    bool regular_ = false;
};

}  // namespace kumihimo::iod::process
