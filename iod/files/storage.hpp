// How the service keeps a file that is open for a rank of another machine: by calls of the operating system (stored_file.hpp),
// or by MPI-IO, where kumihimo-iod-mpi serves (mpiio/remote).
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <span>

#include "iod/files/worker.hpp"
#include "iod/protocol/messages.hpp"

namespace kumihimo::iod::process {

class Storage {
public:
    virtual ~Storage() = default;

    // ---- by the thread that does what is asked, in order ----
    virtual Status open(const OpenMode& mode) = 0;
    virtual std::uint64_t identity() const = 0;  // another one if the machine was started anew meanwhile
    virtual Status write(const Layout& layout, std::span<const std::byte> bytes) = 0;
    virtual Status read(const Layout& layout, std::span<std::byte> bytes, std::size_t& got) = 0;  // got fewer: the file ended
    virtual Status size(std::int64_t& bytes) = 0;
    virtual Status set_size(Offset bytes) = 0;
    virtual Status preallocate(Offset bytes) = 0;
    virtual Status digest(Offset bytes, std::int64_t& value) = 0;
    virtual Status sync() = 0;
    virtual Status close() = 0;
    Status call(const FileCall& call, std::int64_t& value);  // what neither locks nor knows the shared pointer

    // ---- by the loop, meanwhile ----
    virtual Status try_lock(bool& held) = 0;  // of the whole file, against all that open it so; held: it was free
    virtual Status unlock() = 0;
    virtual void hurry() = 0;  // what takes long ends early, and fails
};

// A file of a session, and whose thread does what is asked of it.
struct Stored {
    std::shared_ptr<Storage> storage;
    std::shared_ptr<Worker> worker;
};
// `way`: which this process serves; zeros: nobody has claimed it.
using Store = std::function<Stored(asio::io_context& loop, const FileOpen& open, const Way& way)>;

// A thread that tells the loop when it has given memory back.
std::shared_ptr<Worker> make_worker(asio::io_context& loop);

}  // namespace kumihimo::iod::process
