// The root of one server's tree: what it takes goes to its writer thread, in order (server_file.hpp), and what is one for all
// ranks of a file is here: lock and shared pointer. All functions are called by the agent's loop; answers come there, too.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <deque>
#include <memory>

#include "iod/catwalk/ask.hpp"
#include "iod/catwalk/assembler.hpp"
#include "iod/catwalk/server_file.hpp"
#include "iod/files/worker.hpp"

namespace kumihimo::iod::process {

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

    const ServerFile::Counts& counts() const { return file_.counts(); }
    void count(Counters& counters) const;

private:
    static constexpr std::size_t most_pieces = 8;  // that wait: more of them are memory that is touched, and no gain

    void write_later(std::unique_ptr<Piece> piece);
    void call(const Call& call, Answered&& answered);
    void lock(Answered&& answered);
    void unlock();
    void work(std::function<Reply()> job, Answered&& answered);  // by the writer thread, answered by the loop
    void answer(Reply&& reply, Answered&& answered, const std::weak_ptr<bool>& alive);

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
    ServerFile file_;
    Worker worker_;  // last: its thread uses all of the above
};

}  // namespace kumihimo::iod::process
