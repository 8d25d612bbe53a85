// A server's file, with the second law of I/O: success means that every byte was moved (docs/explanation/reliability.md: short
// counts are resumed, EINTR and EAGAIN retried, a premature end is in the count). Used by one thread at a time, but for sync().
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "base/descriptor.hpp"
#include "iod/files/digest.hpp"
#include "iod/files/root.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

// Of an open file: another one if the machine was started anew meanwhile.
std::uint64_t identity_since_boot(int descriptor);

class File {
public:
    // `where`: for messages, "on host 2".
    // `root`: where the path begins, and what it must not leave; none: the machine's own, without limits.
    File(std::string path, std::string where, std::shared_ptr<const Root> root = nullptr)
        : path_(std::move(path)), where_(std::move(where)), root_(std::move(root)) {}

    Status open(const OpenMode& mode, bool& is_new);  // is_new: it was made by this
    // Busy while another one has opened it so and not closed. Where the file system has no locks, as open().
    Status open_sole(const OpenMode& mode, bool& is_new);
    Status write(Offset offset, std::span<const std::byte> bytes);
    // From now on write_long() goes past the page cache (O_DIRECT) where the file system can do that: the device takes the
    // bytes from where they are, so that the processors are the program's, and a sync has little left to do.
    void pass_cache();
    // What the file system likes best: more of it is divided.
    std::size_t largest_write_bytes() const { return far_ ? largest_far_write : largest_local_write; }
    // Bytes that lie in memory where they lie in the file, modulo block_bytes. What the device does not take as it is goes
    // through the page cache; how much of it.
    Status write_long(Offset offset, std::span<const std::byte> bytes, std::size_t& cached);
    void begin_sync(Offset offset, std::size_t bytes) const;  // of what was written through the page cache; waits for nothing
    Status read(Offset offset, std::span<std::byte> bytes, std::size_t& got);  // got fewer: the file ended
    Status size(Offset& bytes);
    void hurry() { hurries_ = true; }  // by any thread: what would take long ends early, and fails
    // XXH3 of the first so many bytes, or of as many as there are. known: what was asked before.
    Status digest(GrowingDigest& known, Offset bytes, std::int64_t& value);
    Status set_size(Offset bytes);
    Status preallocate(Offset bytes);  // never makes it shorter
    // Of the whole file, against everybody who opened it in another way; held: it was free.
    Status try_lock(bool& held);
    Status unlock();
    Status sync();   // the data are on the device
    Status close();  // of what was deferred by a network file system this is the last chance to fail

    static constexpr std::size_t block_bytes = 4096;
    // A network file system divides long writes among few of its own: short ones are done side by side.
    static constexpr std::size_t largest_local_write = 4 << 20, largest_far_write = 1 << 20;
    static constexpr std::size_t least_uncached_bytes = 64 << 10;  // shorter ones are the page cache's

    const std::string& path() const { return path_; }
    int descriptor() const { return descriptor_.get(); }
    bool is_far() const { return far_; }  // on a network file system, as far as its large blocks tell
    bool is_regular() const { return regular_; }
    std::uint64_t identity_since_boot() const { return process::identity_since_boot(descriptor()); }
    std::int64_t identity() const { return identity_; }  // on this machine: of the same file, whatever its name, the same

private:
    base::Descriptor open_with(int flags, const OpenMode& mode) const;
    Status failure(const std::string& what, int number) const;
    Status write_failure(Offset offset, std::size_t bytes, int number) const;
    bool has_its_name() const;
    Status allocate_by_writing(Offset bytes);
    Status write_blocks(Offset offset, std::span<const std::byte> bytes, std::size_t& cached);

    std::string path_, where_;
    std::shared_ptr<const Root> root_;
    bool writes_ = false;
    base::Descriptor descriptor_, uncached_;
    bool regular_ = false, far_ = false;
    std::atomic<bool> hurries_ = false;
    std::int64_t identity_ = 0;
};

}  // namespace kumihimo::iod::process
