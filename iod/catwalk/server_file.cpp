#include "iod/catwalk/server_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <new>

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

}  // namespace

Reply ServerFile::guarded(const std::function<Reply()>& job) const {
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

// ---- opening ----

// The directory is read while the file is opened: on a network file system both take milliseconds.
Reply ServerFile::open() {
    const bool decides = completeness_.decides();
    auto listed = decides ? std::async(marks::list_beside, options_.path) : std::future<marks::Listing>();
    bool is_new = false;
    const Status status = file_.open(options_.mode, is_new);
    opened_ = status.ok();
    marks::Listing listing = decides ? listed.get() : marks::Listing{};
    if (!opened_ || !file_.is_regular()) return {status};
    return {completeness_.begin(file_, is_new, std::move(listing), options_.accept_incomplete)};
}

Reply ServerFile::prepare() {
    if (!opened_ || !options_.mode.write || !options_.durable) return {};
    syncer_ = std::make_unique<Syncer>(file_);
    file_.pass_cache();
    return {};
}

// ---- records ----

Reply ServerFile::expect() {
    return {abandoned_ ? Status{} : completeness_.expect()};
}

// After a failure nothing more is written: what is there stays a beginning.
void ServerFile::write(const Piece& piece) {
    failed_.keep_first(guarded([&] {
                           for (const Piece::Run& run : piece.runs())
                               if (failed_.ok() && !abandoned_) failed_ = write_run(run, piece.bytes_of(run));
                           return Reply{};
                       }).status);
}

// Before anything in the file is no more what the last sync left.
Status ServerFile::change() {
    Status status = completeness_.change();
    if (status.ok()) changed_ = true;
    return status;
}

Status ServerFile::write_run(const Piece::Run& run, std::span<const std::byte> bytes) {
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

Reply ServerFile::read(const Read& read) {
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

Reply ServerFile::call(const Call& call) {
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

// A rank writes to the file by itself. On a network file system few long writes of one process are faster.
Status ServerFile::let_by(std::int64_t identity) {
    const bool same = identity == file_.identity();  // not another one that has its name by now
    if (same && options_.mode.write && file_.is_regular() && !file_.is_far()) return change();
    return {Code::not_supported, fmt::format("'{}' is written by its I/O process only", options_.path), ""};
}

Reply ServerFile::drain(const Drain& drain) {
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

Status ServerFile::make_durable(const Drain& drain) {
    if (!makes_durable(drain.purpose) || !options_.mode.write) return {};
    if (opened_ && options_.durable && changed_) {  // else a close behind a sync would wait for the device once more
        const Timed timed(counts_.sync_seconds);
        if (Status status = file_.sync(); !status.ok()) return status;
        if (Status status = syncer_ ? syncer_->result() : Status{}; !status.ok()) return status;
        changed_ = false;
    }
    completeness_.synced();
    return {};
}

Reply ServerFile::settle() {
    return {failed_.ok() && !abandoned_ ? completeness_.settle() : failed_};
}

Status ServerFile::done() {
    syncer_.reset();
    opened_ = false;
    Status status = file_.close();
    if (options_.mode.delete_on_close && options_.number == 0) status.keep_first(remove());
    return status;
}

Status ServerFile::remove() {
    const int number = marks::remove_file(options_.path);
    if (number == 0 || number == ENOENT) return {};
    return Status::of_errno(number, fmt::format("cannot remove '{}' {}", options_.path, options_.where));
}

}  // namespace kumihimo::iod::process
