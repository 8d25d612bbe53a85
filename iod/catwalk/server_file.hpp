// The file of a server, as its writer thread sees it: what is asked becomes operations on it, and after a failure nothing more
// is written. What it tells of being complete is completeness.hpp's.
#pragma once

#include <atomic>
#include <memory>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/completeness.hpp"
#include "iod/catwalk/piece.hpp"
#include "iod/catwalk/syncer.hpp"
#include "iod/files/file.hpp"

namespace kumihimo::iod::process {

struct ServerOptions {
    std::string path, where;  // "on host 2"
    std::uint32_t number = 0;
    OpenMode mode;
    Opening opened{};
    bool durable = true, accept_incomplete = false;
    std::size_t fifo_bytes = 1 << 20;                // of records that wait for the writer
    std::function<void(const Status&)> broken = {};  // an answer could not be passed on: the session must fail. By the loop
};

class ServerFile {
public:
    explicit ServerFile(const ServerOptions& options)
        : options_(options), file_(options.path, options.where), completeness_(options.number, options.opened) {}

    // ---- by any thread ----
    bool is_far() const { return file_.is_far(); }  // once it is open
    void abandon() { abandoned_ = true; }           // nothing is written any more: it stays incomplete
    struct Counts {
        std::atomic<std::uint64_t> writes{0}, bytes_written{0}, seeks{0}, reads{0}, bytes_read{0};
        std::atomic<double> write_seconds{0}, read_seconds{0}, sync_seconds{0};
    };
    const Counts& counts() const { return counts_; }

    // ---- by the writer thread ----
    Reply open();
    std::size_t largest_write_bytes() const { return file_.largest_write_bytes(); }
    Reply prepare();  // what no rank needs to wait for
    Reply expect();   // records will come. A failure is told by the first write
    void write(const Piece& piece);
    Reply read(const Read& read);
    Reply call(const Call& call);  // size, set_size, preallocate, pass_by, show
    Reply drain(const Drain& drain);
    Reply settle();

    // Whatever a job throws, as a rule for want of memory, is its answer.
    Reply guarded(const std::function<Reply()>& job) const;

private:
    Status change();
    Status let_by(std::int64_t identity);
    Status write_run(const Piece::Run& run, std::span<const std::byte> bytes);
    Status make_durable(const Drain& drain);
    Status done();  // of a close
    Status remove();

    const ServerOptions& options_;
    std::atomic<bool> abandoned_{false};
    File file_;
    Completeness completeness_;
    Status failed_;  // the first failure
    bool opened_ = false;
    Offset write_end_ = -1;
    bool changed_ = true;  // since the last sync, as far as is known
    Counts counts_;
    std::unique_ptr<Syncer> syncer_;
};

}  // namespace kumihimo::iod::process
