#include "iod/process/server.hpp"

#include <unistd.h>

#include <algorithm>
#include <asio/post.hpp>
#include <bit>
#include <chrono>
#include <future>

#include "base/format.hpp"

namespace kumihimo::iod::process {

namespace {

// Adds the time of a scope.
class Timed {
public:
    explicit Timed(std::atomic<double>& seconds) : seconds_(seconds) {}
    ~Timed() {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
        seconds_.store(seconds_.load() + passed.count());  // one thread writes
    }

private:
    std::atomic<double>& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

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
      file_(options_.path, options_.where),
      marker_(options_.path, options_.number),
      worker_([&loop] { asio::post(loop, [] {}); }) {}  // the loop looks whether it can send more

Server::~Server() {
    abandoned_ = true;
}

// Behind all records so far.
void Server::work(std::function<Reply()> job, Answered&& answered) {
    assembler_.finish();
    worker_.add([this, job = std::move(job), answered = std::move(answered), alive = std::weak_ptr(alive_)]() mutable {
        asio::post(loop_, [reply = job(), answered = std::move(answered), alive]() mutable {
            if (!alive.expired()) answered(std::move(reply));
        });
    });
}

// ---- opening ----

void Server::open(Answered answered) {
    work([this] { return do_open(); }, std::move(answered));
    worker_.add([this] { prepare(); });
}

// The directory is read while the file is opened: on a network file system both take milliseconds.
Reply Server::do_open() {
    auto listed = std::async([this] { return Marker::all_of(options_.path); });
    bool is_new = false;
    const Status status = file_.open(options_.mode, is_new);
    opened_ = status.ok();
    // No record has come yet. Writing begins when a piece is full.
    pool_.set_piece_bytes(std::min(pool_.piece_bytes(), file_.largest_write_bytes()));
    const std::vector<std::string> markers = listed.get();
    if (!is_new) return {opened_ ? incomplete(markers) : status};
    for (const std::string& name : markers) ::unlink(name.c_str());  // of a file that is not there any more
    return {status};
}

Status Server::incomplete(const std::vector<std::string>& markers) const {
    if (markers.empty() || options_.accept_incomplete || options_.number != 0) return {};
    return {Code::incomplete,
            fmt::format("'{}' was left incomplete by a crash ('{}' says so): see `kumihimo files recover`", options_.path,
                        markers.front()),
            ""};
}

// What no rank needs to wait for.
void Server::prepare() {
    if (!opened_ || !options_.mode.write || !options_.durable) return;
    syncer_ = std::make_unique<Syncer>(file_);
    file_.pass_cache();
}

// ---- records ----

// A failure is told by the first write.
void Server::expect_records() {
    if (std::exchange(expecting_, true)) return;
    worker_.add([this] {
        if (file_.is_regular() && !abandoned_) (void)marker_.set();
    });
}

void Server::write_later(std::unique_ptr<Piece> piece) {
    const std::size_t bytes = piece->capacity_bytes();
    worker_.add(
        [this, held = std::make_shared<std::unique_ptr<Piece>>(std::move(piece))] {
            do_write(**held);
            pool_.give_back(std::move(*held));
        },
        bytes);
}

// After a failure nothing more is written: what is there stays a beginning.
void Server::do_write(const Piece& piece) {
    for (const Piece::Run& run : piece.runs())
        if (failed_.ok() && !abandoned_) failed_ = write_run(run, piece.bytes_of(run));
}

Status Server::write_run(const Piece::Run& run, std::span<const std::byte> bytes) {
    if (file_.is_regular())
        if (Status status = marker_.set(); !status.ok()) return status;
    changed_ = true;
    complete_ = false;
    if (run.begin != write_end_) ++counts_.seeks;
    write_end_ = run.end();
    ++counts_.writes;
    counts_.bytes_written += bytes.size();
    const Timed timed(counts_.write_seconds);
    std::size_t cached = run.aligned ? 0 : bytes.size();
    Status status = run.aligned ? file_.write_long(run.begin, bytes, cached) : file_.write(run.begin, bytes);
    if (syncer_ && status.ok()) syncer_->written(cached);
    return status;
}

// ---- questions ----

void Server::ask(Ask&& ask) {
    if (!lost_.ok()) return ask.answered({lost_});
    if (const Call* const asked = std::get_if<Call>(&ask.what)) return call(*asked, std::move(ask.answered));
    if (const Read* const read = std::get_if<Read>(&ask.what))
        return work([this, read = *read] { return do_read(read); }, std::move(ask.answered));
    expecting_ = false;
    work([this, drain = std::get<Drain>(ask.what)] { return do_drain(drain); }, std::move(ask.answered));
}

void Server::call(const Call& call, Answered&& answered) {
    switch (call.function) {
        case Function::lock:
            return lock(std::move(answered));
        case Function::unlock:
            unlock();
            return answered({});
        case Function::shared_add:
            shared_pointer_ += call.value;
            return answered({{}, shared_pointer_ - call.value});
        case Function::shared_set:
            shared_pointer_ = call.value;
            return answered({});
        default:
            return work([this, call] { return do_call(call); }, std::move(answered));
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
    abandoned_ = true;
    lost_.keep_first(why);
    for (const Answered& waiting : std::exchange(lock_queue_, {})) waiting({lost_});
}

Reply Server::do_read(const Read& read) {
    if (!failed_.ok()) return {failed_};
    Reply reply;
    reply.bytes.resize(read.bytes);
    std::size_t got = 0;
    const Timed timed(counts_.read_seconds);
    reply.status = file_.read(read.offset, reply.bytes, got);
    reply.bytes.resize(got);
    ++counts_.reads;
    counts_.bytes_read += got;
    return reply;
}

Reply Server::do_call(const Call& call) {
    Reply reply{failed_};
    if (!reply.status.ok()) return reply;
    if (call.function == Function::size) reply.status = file_.size(reply.value);
    changed_ = changed_ || call.function == Function::set_size || call.function == Function::preallocate;
    if (call.function == Function::set_size) reply.status = file_.set_size(call.value);
    if (call.function == Function::preallocate) reply.status = file_.preallocate(call.value);
    return reply;  // show: all before it is in the file
}

Reply Server::do_drain(const Drain& drain) {
    failed_.keep_first(drain.status);  // of a node on the way: its records are missing
    if (failed_.ok() && !abandoned_) failed_ = make_durable(drain);
    Reply reply{failed_};
    if (drain.purpose == Purpose::close) {
        reply.status.keep_first(done());
    } else if (reply.status.ok()) {
        reply.status = file_.size(reply.value);
    }
    return reply;
}

Status Server::make_durable(const Drain& drain) {
    if (!makes_durable(drain.purpose) || !options_.mode.write) return {};
    if (syncer_ && changed_) {  // else a close behind a sync would wait for the device once more
        const Timed timed(counts_.sync_seconds);
        if (Status status = file_.sync(); !status.ok()) return status;
        if (Status status = syncer_->result(); !status.ok()) return status;
        changed_ = false;
    }
    complete_ = true;
    return {};
}

void Server::settle(Answered answered) {
    work([this] { return do_settle(); }, std::move(answered));
}

// The mark of one server tells of the others' part, too: each stays until all of them are done. What has been written since
// needs it again.
Reply Server::do_settle() {
    if (!failed_.ok() || !complete_ || abandoned_) return {failed_};
    Status status = marker_.clear();
    if (status.ok() && options_.number == 0 && options_.accept_incomplete) Marker::remove_all(options_.path);
    return {status};
}

Status Server::done() {
    syncer_.reset();
    Status status = file_.close();
    if (options_.mode.delete_on_close && options_.number == 0) {
        status.keep_first(file_.remove());
        Marker::remove_all(options_.path);
    }
    return status;
}

}  // namespace kumihimo::iod::process
