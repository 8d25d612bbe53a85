#include "iod/records/stage.hpp"

#include <algorithm>

#include "iod/records/order_watch.hpp"
#include "iod/records/queue.hpp"
#include "iod/records/sources.hpp"
#include "iod/records/spill.hpp"

namespace kumihimo::iod {

namespace {

constexpr Offset everything = Sources::everything;

// A look for long stretches visits all records, so it is taken when so many bytes have come for each of them.
constexpr std::size_t bytes_before_a_look = 64;

}  // namespace

class Stage::Inside {
public:
    Inside(const StageOptions& options, Overflow* overflow)
        : options_(options),
          method_(options.method == Method::automatic ? Method::sort : options.method),
          sources_(options.children),
          watch_(options.children, options.largest_record / 2),
          queue_(options.batch_bytes),
          buffer_(options.sort_buffer - std::min(options.sort_buffer / 4, spill_bytes(options, overflow)),
                  options.largest_record, options.merge),
          spill_(overflow, piece_bytes(options)) {}

    bool has_room(std::size_t bytes);
    void put(int source, Offset offset, std::span<const std::byte> data);
    bool next(RecordSink& sink);
    bool next_in(Offset begin, Offset end, RecordSink& sink);
    std::optional<std::uint64_t> drained();
    bool empty() const { return queue_.empty() && buffer_.empty() && spill_.empty(); }
    Offset highest_end() const {
        return std::max({queue_.highest_end(), spill_.highest_end(), buffer_.empty() ? 0 : buffer_.highest_end()});
    }
    std::size_t memory_bytes() const { return queue_.memory_bytes() + buffer_.memory_bytes() + spill_.memory_bytes(); }
    // Cells of short records are half empty, so a quarter is a lot; a journal takes what does not fit.
    bool crowded() const { return method_ == Method::sort && buffer_.data_bytes() > options_.sort_buffer / 4; }
    std::uint64_t arrived_bytes() const { return counts_.bytes_in; }
    std::uint64_t left_bytes() const { return counts_.bytes_out; }
    Counts counts() const;
    Sources& sources() { return sources_; }

private:
    // What the overflow is read by; as much again is on its way to it.
    static std::size_t piece_bytes(const StageOptions& options) {
        return std::max(options.largest_record, std::min(options.batch_bytes, options.sort_buffer / 16));
    }
    static std::size_t spill_bytes(const StageOptions& options, const Overflow* overflow) {
        return overflow == nullptr ? 0 : 2 * piece_bytes(options);
    }
    bool fits(std::size_t bytes) const;
    bool full() const { return !fits(std::max(options_.largest_record, refused_bytes_)); }
    void spill();
    void choose_method();
    void look_for_a_stretch();
    Stretch what_may_leave();
    bool leave(Offset begin, Offset end, RecordSink& sink);
    bool leave_queue(RecordSink& sink);
    void count(Offset offset, std::size_t bytes);

    StageOptions options_;
    Method method_;
    Sources sources_;
    OrderWatch watch_;
    Queue queue_;
    RecordBuffer buffer_;
    Spill spill_;
    Stretch early_{0, 0};            // leaves before the buffer is full
    Offset cursor_ = 0;              // a full buffer goes on from here, so that what leaves is ascending as long as it can be
    std::size_t refused_bytes_ = 0;  // of the record that waits for room
    std::size_t since_look_ = 0;     // bytes that have come in
    Offset left_end_ = 0;            // of the record that left last
    Counts counts_;
};

// Room for a record of the overflow is kept: else what is in the buffer would wait for it, and it for the buffer.
bool Stage::Inside::fits(std::size_t bytes) const {
    const std::size_t parts = (bytes + options_.largest_record - 1) / options_.largest_record;
    if (method_ == Method::immediate)
        return queue_.memory_bytes_with(std::min(bytes, options_.largest_record), parts) <= options_.sort_buffer;
    if (!queue_.empty()) return false;  // its memory counts, too
    if (method_ != Method::journal && spill_.empty()) return buffer_.fits(bytes, parts);
    return buffer_.fits(bytes + options_.largest_record, parts + 1);
}

bool Stage::Inside::has_room(std::size_t bytes) {
    choose_method();
    while (method_ == Method::journal && !spill_.coming_back() && !fits(bytes) && !buffer_.empty()) spill();
    const bool nothing_to_wait_for = queue_.empty() && buffer_.empty() && !spill_.coming_back();
    if (fits(bytes) || nothing_to_wait_for) return true;
    refused_bytes_ = bytes;
    watch_.refused();
    return false;
}

void Stage::Inside::spill() {
    if (spill_.usable() && spill_.write(buffer_)) return;
    method_ = Method::sort;  // the journal failed: what is in it goes on first
    spill_.come_back();
}

void Stage::Inside::put(int source, Offset offset, std::span<const std::byte> data) {
    refused_bytes_ = 0;
    counts_.bytes_in += data.size();
    since_look_ += data.size();
    sources_.arrived(source, offset);
    watch_.arrived(source, offset, data.size());
    choose_method();
    while (!data.empty()) {
        const std::size_t part = std::min(data.size(), options_.largest_record);
        if (method_ == Method::immediate) {
            queue_.add(offset, data.first(part));
            ++counts_.records.records_in;
        } else {
            buffer_.add(offset, data.first(part));
        }
        offset += static_cast<Offset>(part);
        data = data.subspan(part);
    }
}

// To immediate only from an empty stage: the queue leaves before the buffer.
void Stage::Inside::choose_method() {
    if (options_.method != Method::automatic) return;
    if (method_ == Method::immediate) {
        if (watch_.disorderly()) method_ = Method::sort;
    } else if (watch_.orderly() && empty()) {
        method_ = Method::immediate;
    } else if (options_.way_out_is_a_network && spill_.usable() && watch_.way_out_is_slow()) {
        method_ = Method::journal;
    }
}

// A stretch that is as long as a disk or a network needs to be fast gains nothing by waiting; it may leave while the program
// computes, and does not need to at the end. The journal's point is that nothing does.
void Stage::Inside::look_for_a_stretch() {
    if (early_.begin < early_.end || method_ != Method::sort || options_.early_bytes == 0) return;
    if (since_look_ < std::max(options_.early_bytes, bytes_before_a_look * buffer_.parts())) return;
    since_look_ = 0;
    if (const std::optional<Stretch> found = buffer_.stretch(options_.early_bytes)) early_ = *found;
}

// begin == end: nothing.
Stretch Stage::Inside::what_may_leave() {
    if (sources_.draining() && sources_.all_drained()) return {0, everything};
    if (full() && (method_ != Method::journal || spill_.coming_back())) return {cursor_, everything};
    if (sources_.draining()) return {0, sources_.horizon()};
    if (spill_.coming_back()) return {0, everything};
    look_for_a_stretch();
    return early_;
}

bool Stage::Inside::next(RecordSink& sink) {
    if (leave_queue(sink)) return true;
    if (sources_.draining() && sources_.horizon() > 0 && !spill_.empty()) spill_.come_back();
    if (spill_.coming_back()) spill_.read_back(buffer_, options_.batch_bytes);
    const Stretch may = what_may_leave();
    if (leave(may.begin, may.end, sink)) return true;
    early_ = {0, 0};
    return may.begin > 0 && may.begin == cursor_ && leave(0, cursor_, sink);
}

// What lies in the overflow is not known by place: all of it leaves.
bool Stage::Inside::next_in(Offset begin, Offset end, RecordSink& sink) {
    if (queue_.overlaps(begin, end) && leave_queue(sink)) return true;
    if (!spill_.empty()) {
        spill_.come_back();
        spill_.read_back(buffer_, options_.batch_bytes);
        if (leave(0, everything, sink)) return true;
    }
    const std::optional<Offset> first = buffer_.first_overlapping(begin, end);
    return first && leave(*first, end, sink);
}

bool Stage::Inside::leave(Offset begin, Offset end, RecordSink& sink) {
    if (!spill_.empty()) {
        if (!spill_.coming_back()) return false;
        buffer_.split(spill_.limit());  // wherever it ends: a record that begins before `end` may reach behind the limit
        end = std::min(end, spill_.limit());
    }
    Taken taken{};
    const std::size_t most_records = options_.batch_bytes / 64 + 1;  // places take memory, too
    std::size_t bytes = 0, records = 0;
    while (bytes < options_.batch_bytes && records < most_records && buffer_.take(begin, end, taken, sink)) {
        count(taken.offset, taken.bytes);
        begin = taken.offset + static_cast<Offset>(taken.bytes);
        bytes += taken.bytes;
        ++records;
    }
    if (records > 0) cursor_ = begin;
    return records > 0;
}

bool Stage::Inside::leave_queue(RecordSink& sink) {
    return queue_.take([&](Offset offset, std::span<const std::byte> bytes) {
        sink.begin(offset);
        sink.put(bytes);
        count(offset, bytes.size());
    });
}

void Stage::Inside::count(Offset offset, std::size_t bytes) {
    watch_.left();
    if (offset != left_end_) ++counts_.seeks;
    left_end_ = offset + static_cast<Offset>(bytes);
    counts_.bytes_out += bytes;
    ++counts_.records.records_out;
}

std::optional<std::uint64_t> Stage::Inside::drained() {
    if (!sources_.draining() || !sources_.all_drained() || !empty()) return std::nullopt;
    cursor_ = 0;
    watch_.begin_again();
    return sources_.complete();
}

Stage::Counts Stage::Inside::counts() const {
    Counts counts = counts_;
    const RecordCounts& sorted = buffer_.counts();
    counts.records.records_in += sorted.records_in;
    counts.records.merged = sorted.merged;
    counts.records.overwritten_bytes = sorted.overwritten_bytes;
    counts.overflowed_bytes = spill_.bytes_written();
    counts.method = method_;
    return counts;
}

Stage::Stage(const StageOptions& options, Overflow* overflow) : inside_(std::make_unique<Inside>(options, overflow)) {}
Stage::~Stage() = default;

bool Stage::has_room(std::size_t bytes) {
    return inside_->has_room(bytes);
}
void Stage::put(int source, Offset offset, std::span<const std::byte> data) {
    inside_->put(source, offset, data);
}
void Stage::drain(int source, std::uint64_t epoch) {
    inside_->sources().drain(source, epoch);
}
void Stage::lose(int source) {
    inside_->sources().lose(source);
}
bool Stage::next(RecordSink& sink) {
    return inside_->next(sink);
}
bool Stage::next_in(Offset begin, Offset end, RecordSink& sink) {
    return inside_->next_in(begin, end, sink);
}
bool Stage::next(Batch& batch) {
    batch.clear();
    return inside_->next(batch);
}
bool Stage::next_in(Offset begin, Offset end, Batch& batch) {
    batch.clear();
    return inside_->next_in(begin, end, batch);
}
std::optional<std::uint64_t> Stage::drained() {
    return inside_->drained();
}
bool Stage::empty() const {
    return inside_->empty();
}
Offset Stage::highest_end() const {
    return inside_->highest_end();
}
bool Stage::crowded() const {
    return inside_->crowded();
}
std::uint64_t Stage::arrived_bytes() const {
    return inside_->arrived_bytes();
}
std::uint64_t Stage::left_bytes() const {
    return inside_->left_bytes();
}
std::size_t Stage::memory_bytes() const {
    return inside_->memory_bytes();
}
Stage::Counts Stage::counts() const {
    return inside_->counts();
}

}  // namespace kumihimo::iod
