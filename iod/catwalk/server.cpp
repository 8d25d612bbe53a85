#include "iod/catwalk/server.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <bit>
#include <cerrno>
#include <chrono>
#include <future>
#include <iterator>
#include <new>
#include <thread>

#include "base/format.hpp"
#include "iod/protocol/limits.hpp"

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
      file_(options_.path, options_.where),
      marker_(options_.number, options_.opened),
      worker_([&loop] { as_soon_as_there_is_memory([&] { asio::post(loop, [] {}); }); }) {
}  // the loop looks whether it can send more

Server::~Server() {
    abandoned_ = true;
}

// Behind all records so far.
void Server::work(std::function<Reply()> job, Answered&& answered) {
    assembler_.finish();
    worker_.add([this, job = std::move(job), answered = std::move(answered), alive = std::weak_ptr(alive_)]() mutable {
        answer(guarded(job), std::move(answered), alive);
    });
}

// Whatever a job throws, as a rule for want of memory, is its answer.
Reply Server::guarded(const std::function<Reply()>& job) const {
    try {
        try {
            return job();
        } catch (const std::exception& error) {
            return {Status::of_exception(error, fmt::format("cannot serve '{}' {}", options_.path, options_.where))};
        }
    } catch (const std::bad_alloc&) {
        return {{Code::out_of_memory, "no memory", "ENOMEM"}};
    }
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

void Server::open(Answered answered) {
    work([this] { return do_open(); }, std::move(answered));
    worker_.add([this] { (void)guarded([this] { return prepare(); }); });
}

// The directory is read while the file is opened: on a network file system both take milliseconds.
Reply Server::do_open() {
    const bool decides = options_.number == 0;
    auto listed = decides ? std::async(marks::list_beside, options_.path) : std::future<marks::Listing>();
    bool is_new = false;
    const Status status = file_.open(options_.mode, is_new);
    opened_ = status.ok();
    // No record has come yet. Writing begins when a piece is full.
    pool_.set_piece_bytes(std::min(pool_.piece_bytes(), file_.largest_write_bytes()));
    marks::Listing listing = decides ? listed.get() : marks::Listing{};
    if (!opened_ || !file_.is_regular()) return {status};
    marker_.lies_beside(marks::place_of(file_.descriptor(), options_.path, listing.directory));
    return {decides ? look_at_marks(is_new, std::move(listing)) : status};
}

// Those of living writers are no obstacle: several openings of a file at a time are MPI's business.
Status Server::look_at_marks(bool is_new, marks::Listing listing) {
    const std::vector<marks::Mark> found = marks::marks_of(marker_.place(), std::move(listing));
    if (is_new) marks::remove_all(marker_.place(), found);  // of a file that is not there any more
    if (is_new) return {};
    std::ranges::copy_if(found, std::back_inserter(accepted_), &marks::Mark::says_incomplete);
    if (accepted_.empty() || options_.accept_incomplete) return {};
    const marks::Mark& first = accepted_.front();
    return {Code::incomplete,
            fmt::format("'{}' was left incomplete by a crash ('{}'{} says so): see `kumihimo files recover`", options_.path,
                        first.path, marks::whose(first)),
            ""};
}

// What no rank needs to wait for.
Reply Server::prepare() {
    if (!opened_ || !options_.mode.write || !options_.durable) return {};
    syncer_ = std::make_unique<Syncer>(file_);
    file_.pass_cache();
    return {};
}

// ---- records ----

// A failure is told by the first write.
void Server::expect_records() {
    if (std::exchange(expecting_, true)) return;
    worker_.add(
        [this] { (void)guarded([this] { return Reply{file_.is_regular() && !abandoned_ ? marker_.set() : Status{}}; }); });
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
    failed_.keep_first(guarded([&] {
                           for (const Piece::Run& run : piece.runs())
                               if (failed_.ok() && !abandoned_) failed_ = write_run(run, piece.bytes_of(run));
                           return Reply{};
                       }).status);
}

// Before anything in the file is no more what the last sync left.
Status Server::change() {
    if (file_.is_regular())
        if (Status status = marker_.set(); !status.ok()) return status;
    changed_ = true;
    complete_ = false;
    return {};
}

// A rank writes to the file by itself. On a network file system few long writes of one process are faster.
Status Server::let_by(std::int64_t identity) {
    const bool same = identity == file_.identity();  // not another one that has its name by now
    if (same && options_.mode.write && file_.is_regular() && !file_.is_far()) return change();
    return {Code::not_supported, fmt::format("'{}' is written by its I/O process only", options_.path), ""};
}

Status Server::write_run(const Piece::Run& run, std::span<const std::byte> bytes) {
    if (Status status = change(); !status.ok()) return status;
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
            if (!possible(shared_pointer_, static_cast<std::uint64_t>(call.value)))
                return answered({{Code::too_large, "the shared file pointer leaves what a file can have", "EOVERFLOW"}});
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
    const bool resizes = call.function == Function::set_size || call.function == Function::preallocate;
    if (resizes && options_.mode.write) reply.status = change();
    if (!reply.status.ok()) return reply;
    if (call.function == Function::set_size) reply.status = file_.set_size(call.value);
    if (call.function == Function::preallocate) reply.status = file_.preallocate(call.value);
    if (call.function == Function::pass_by) reply.status = let_by(call.value);
    return reply;  // show: all before it is in the file
}

Reply Server::do_drain(const Drain& drain) {
    failed_.keep_first(drain.status);  // of a host on the way: its records are missing
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
    if (opened_ && options_.durable && changed_) {  // else a close behind a sync would wait for the device once more
        const Timed timed(counts_.sync_seconds);
        if (Status status = file_.sync(); !status.ok()) return status;
        if (Status status = syncer_ ? syncer_->result() : Status{}; !status.ok()) return status;
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
    if (status.ok()) marks::remove_all(marker_.place(), std::exchange(accepted_, {}));
    return {status};
}

Status Server::done() {
    syncer_.reset();
    opened_ = false;
    Status status = file_.close();
    if (options_.mode.delete_on_close && options_.number == 0) status.keep_first(remove_file());
    return status;
}

Status Server::remove_file() {
    const int number = marks::remove_file(options_.path);
    if (number == 0 || number == ENOENT) return {};
    return Status::of_errno(number, fmt::format("cannot remove '{}' {}", options_.path, options_.where));
}

}  // namespace kumihimo::iod::process
