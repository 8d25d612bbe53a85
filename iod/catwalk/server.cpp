#include "iod/catwalk/server.hpp"

#include <asio/post.hpp>
#include <bit>
#include <chrono>
#include <new>
#include <thread>

#include "iod/protocol/limits.hpp"

namespace kumihimo::iod::process {

namespace {

// For what must be done, and takes a few bytes only.
template <typename Step>
void as_soon_as_there_is_memory(Step&& step) {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(10))) try {
            return step();
        } catch (const std::bad_alloc&) {
        }
}

// Four pieces or more: one is filled, one is written, the others wait.
std::size_t piece_bytes(const ServerOptions& options) {
    return std::clamp<std::size_t>(std::bit_floor(options.fifo_bytes / 4), File::least_uncached_bytes, 4 << 20);
}

}  // namespace

Server::Server(asio::io_context& loop, ServerOptions options)
    : loop_(loop),
      options_(std::move(options)),
      pool_(piece_bytes(options_), most_pieces),
      assembler_(pool_, [this](std::unique_ptr<Piece> piece) { write_later(std::move(piece)); }),
      file_(options_),
      worker_([&loop] { as_soon_as_there_is_memory([&] { asio::post(loop, [] {}); }); }) {
}  // the loop looks whether it can send more

Server::~Server() {
    file_.abandon();
}

// Behind all records so far.
void Server::work(std::function<Reply()> job, Answered&& answered) {
    assembler_.finish();
    worker_.add([this, job = std::move(job), answered = std::move(answered), alive = std::weak_ptr(alive_)]() mutable {
        answer(file_.guarded(job), std::move(answered), alive);
    });
}

// Somebody waits for it.
void Server::answer(Reply&& reply, Answered&& answered, const std::weak_ptr<bool>& alive) {
    std::shared_ptr<std::pair<Reply, Answered>> told;
    as_soon_as_there_is_memory(
        [&] { told = std::make_shared<std::pair<Reply, Answered>>(std::move(reply), std::move(answered)); });
    const auto pass_on = [this, told, alive] {
        if (alive.expired()) return;
        try {
            told->second(std::move(told->first));
        } catch (const std::exception& error) {
            options_.broken(Status::of_exception(error, "an answer was lost"));
        }
    };
    as_soon_as_there_is_memory([&] { asio::post(loop_, pass_on); });
}

// ---- opening ----

// Writing begins when a piece is full.
void Server::open(Answered answered) {
    work(
        [this] {
            Reply opened = file_.open();
            pool_.set_piece_bytes(std::min(pool_.piece_bytes(), file_.largest_write_bytes()));
            return opened;
        },
        std::move(answered));
    worker_.add([this] { (void)file_.guarded([this] { return file_.prepare(); }); });
}

void Server::settle(Answered answered) {
    work([this] { return file_.settle(); }, std::move(answered));
}

// ---- records ----

void Server::expect_records() {
    if (std::exchange(expecting_, true)) return;
    worker_.add([this] { (void)file_.guarded([this] { return file_.expect(); }); });
}

void Server::write_later(std::unique_ptr<Piece> piece) {
    const std::size_t bytes = piece->capacity_bytes();
    worker_.add(
        [this, held = std::make_shared<std::unique_ptr<Piece>>(std::move(piece))] {
            file_.write(**held);
            pool_.give_back(std::move(*held));
        },
        bytes);
}

// ---- questions ----

void Server::ask(Ask&& ask) {
    if (!lost_.ok()) return ask.answered({lost_});
    if (const Call* const asked = std::get_if<Call>(&ask.what)) return call(*asked, std::move(ask.answered));
    if (const Read* const read = std::get_if<Read>(&ask.what))
        return work([this, read = *read] { return file_.read(read); }, std::move(ask.answered));
    expecting_ = false;
    work([this, drain = std::get<Drain>(ask.what)] { return file_.drain(drain); }, std::move(ask.answered));
}

void Server::call(const Call& call, Answered&& answered) {
    switch (call.function) {
        case Function::lock:
            return lock(std::move(answered));
        case Function::unlock:
            unlock();
            return answered({});
        case Function::shared_add:
            if (!possible(shared_pointer_, static_cast<std::uint64_t>(call.value)))
                return answered({{Code::too_large, "the shared file pointer leaves what a file can have", "EOVERFLOW"}});
            shared_pointer_ += call.value;
            return answered({{}, shared_pointer_ - call.value});
        case Function::shared_set:
            shared_pointer_ = call.value;
            return answered({});
        default:
            return work([this, call] { return file_.call(call); }, std::move(answered));
    }
}

void Server::lock(Answered&& answered) {
    if (locked_) return lock_queue_.push_back(std::move(answered));
    locked_ = true;
    answered({});
}

void Server::unlock() {
    locked_ = !lock_queue_.empty();
    if (!locked_) return;
    const Answered next = std::move(lock_queue_.front());
    lock_queue_.pop_front();
    next({});
}

void Server::fail(const Status& why) {
    file_.abandon();
    lost_.keep_first(why);
    for (const Answered& waiting : std::exchange(lock_queue_, {})) waiting({lost_});
}

void Server::count(Counters& counters) const {
    const auto add = [&](const char* name, auto value) { counters.emplace_back(name, static_cast<double>(value)); };
    const ServerFile::Counts& counts = file_.counts();
    add("file writes", counts.writes.load());
    add("file bytes written", counts.bytes_written.load());
    add("file seeks", counts.seeks.load());
    add("file reads", counts.reads.load());
    add("file bytes read", counts.bytes_read.load());
    add("write seconds", counts.write_seconds.load());
    add("read seconds", counts.read_seconds.load());
    add("sync seconds", counts.sync_seconds.load());
}

}  // namespace kumihimo::iod::process
