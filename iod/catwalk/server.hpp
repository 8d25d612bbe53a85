// The root of one server's tree: the file, its writer, and what is one for all ranks of a file: lock and shared pointer. All
// functions are called by the agent's loop; answers come there, too.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <deque>
#include <memory>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/assembler.hpp"
#include "iod/catwalk/syncer.hpp"
#include "iod/files/file.hpp"
#include "iod/files/worker.hpp"
#include "iod/marks/marker.hpp"
#include "iod/marks/marks.hpp"
#include "iod/records/stage.hpp"

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

class Server {
public:
    Server(asio::io_context& loop, ServerOptions options);
    ~Server();

    void open(Answered answered);
    bool is_far() const { return file_.is_far(); }  // once it is open
    bool has_room() const {
        const std::size_t piece = pool_.piece_bytes();
        return worker_.bytes() + 2 * piece <= std::min(options_.fifo_bytes, most_pieces * piece);
    }
    std::size_t queued_bytes() const { return worker_.bytes(); }
    void expect_records();                        // some will come: the marker is set while they are sorted
    RecordSink& records() { return assembler_; }  // those that are written
    void ask(Ask&& ask);
    void settle(Answered answered);  // all servers have what the last sync or close is of: the file is complete
    void fail(const Status& why);    // the session has failed: nothing is written any more, the file stays incomplete

    struct Counts {
        std::atomic<std::uint64_t> writes{0}, bytes_written{0}, seeks{0}, reads{0}, bytes_read{0};
        std::atomic<double> write_seconds{0}, read_seconds{0}, sync_seconds{0};
    };
    const Counts& counts() const { return counts_; }

private:
    static constexpr std::size_t most_pieces = 8;  // that wait: more of them are memory that is touched, and no gain

    // ---- by the loop ----
    void write_later(std::unique_ptr<Piece> piece);
    void call(const Call& call, Answered&& answered);
    void lock(Answered&& answered);
    void unlock();
    void work(std::function<Reply()> job, Answered&& answered);  // by the writer thread, answered by the loop

    // ---- by the writer thread ----
    Reply guarded(const std::function<Reply()>& job) const;
    void answer(Reply&& reply, Answered&& answered, const std::weak_ptr<bool>& alive);
    Reply do_open();
    Status look_at_marks(bool is_new, marks::Listing listing);
    Status change();
    Status remove_file();
    Reply prepare();
    void do_write(const Piece& piece);
    Status let_by(std::int64_t identity);
    Status write_run(const Piece::Run& run, std::span<const std::byte> bytes);
    Reply do_read(const Read& read);
    Reply do_call(const Call& call);
    Reply do_drain(const Drain& drain);
    Status make_durable(const Drain& drain);
    Reply do_settle();
    Status done();  // of a close

    asio::io_context& loop_;
    ServerOptions options_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // answers that come later find nobody
    bool locked_ = false;
    std::deque<Answered> lock_queue_;
    std::int64_t shared_pointer_ = 0;
    Status lost_;             // why the session has failed
    bool expecting_ = false;  // records, since the last drain
    PiecePool pool_;
    Assembler assembler_;

    std::atomic<bool> abandoned_{false};
    File file_;
    marks::Marker marker_;
    std::vector<marks::Mark> accepted_;  // of crashes before this opening
    Status failed_;                      // the writer's first failure
    bool opened_ = false;
    Offset write_end_ = -1;
    bool changed_ = true;   // since the last sync, as far as is known
    bool complete_ = true;  // nothing was written since the last sync
    Counts counts_;
    std::unique_ptr<Syncer> syncer_;
    Worker worker_;  // last: its thread uses all of the above
};

}  // namespace kumihimo::iod::process
