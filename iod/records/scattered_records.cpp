#include "iod/records/scattered_records.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace kumihimo::iod {

namespace {

// An added record makes at most three new entries, and each at most one new node (256 bytes) on each of few levels.
constexpr std::size_t index_growth = 8192;

constexpr int most_steps = 8;  // from record to record: more of them take longer than a search

}  // namespace

ScatteredRecords::ScatteredRecords(std::size_t capacity_bytes, std::size_t largest_record, bool merge, Slabs& slabs,
                                   RecordCounts& counts)
    : counts_(counts),
      largest_(largest_record),
      merge_(merge),
      cells_(slabs),
      capacity_(std::max(capacity_bytes, least_capacity())),
      index_(CountingAllocator<std::pair<const Offset, Cells::Chain>>(&index_bytes_)),
      last_(index_.end()) {}

std::size_t ScatteredRecords::least_capacity() const {
    return cells_.memory_bytes_with(3 * largest_, 3) + 3 * index_growth;
}

template <typename AnyIndex>
auto ScatteredRecords::first_ending_behind(AnyIndex& index, Offset offset) {
    const auto behind = index.upper_bound(offset);
    if (behind == index.begin()) return behind;
    const auto before = std::prev(behind);
    return end_of(before) > offset ? before : behind;
}

// The same of the whole index_, found from the last_ record on: a rank's rows lie behind each other, with other ranks' rows
// between.
ScatteredRecords::Entry ScatteredRecords::near_last(Offset offset) {
    if (last_ == index_.end() || end_of(last_) > offset) return first_ending_behind(index_, offset);
    Entry entry = std::next(last_);
    for (int steps = 0; steps < most_steps; ++steps, ++entry)
        if (entry == index_.end() || end_of(entry) > offset) return entry;
    return first_ending_behind(index_, offset);
}

// Before `next`, where nothing else lies.
void ScatteredRecords::put(Entry next, Offset offset, std::span<const std::byte> data) {
    data_bytes_ += data.size();
    if (next != index_.begin()) {
        const Entry before = std::prev(next);
        if (end_of(before) == offset && may_become_one(before->second.bytes, data.size())) {
            cells_.append(before->second, data);
            ++counts_.merged;
            join_with_next(before);
            return;
        }
    }
    join_with_next(index_.emplace_hint(next, offset, cells_.store(data)));
}

void ScatteredRecords::join_with_next(Entry entry) {
    last_ = entry;
    const Entry next = std::next(entry);
    if (next == index_.end() || next->first != end_of(entry)) return;
    if (!may_become_one(entry->second.bytes, next->second.bytes)) return;
    cells_.join(entry->second, next->second);
    ++counts_.merged;
    last_ = std::prev(index_.erase(next));
}

ScatteredRecords::Entry ScatteredRecords::erase(Entry entry) {
    data_bytes_ -= entry->second.bytes;
    cells_.release(entry->second);
    return index_.erase(entry);
}

void ScatteredRecords::split(Entry entry, Offset at) {
    const Cells::Chain back = cells_.split(entry->second, static_cast<std::size_t>(at - entry->first));
    index_.emplace(at, back);
    last_ = index_.end();
}

void ScatteredRecords::cut(Offset begin, Offset end) {
    for (Entry entry = first_ending_behind(index_, begin); entry != index_.end() && entry->first < end;
         entry = first_ending_behind(index_, begin)) {
        if (entry->first < begin) {
            split(entry, begin);
        } else {
            if (end_of(entry) > end) {
                split(entry, end);
                entry = first_ending_behind(index_, begin);
            }
            counts_.overwritten_bytes += entry->second.bytes;
            erase(entry);
        }
    }
    last_ = index_.end();
}

bool ScatteredRecords::fits(std::size_t bytes, std::size_t records) const {
    return cells_.memory_bytes_with(bytes, records) + index_bytes_ + records * index_growth <= capacity_;
}

void ScatteredRecords::add(Offset offset, std::span<const std::byte> data) {
    if (data.empty()) return;
    const Offset end = offset + static_cast<Offset>(data.size());
    Entry next = near_last(offset);
    if (next != index_.end() && next->first < end) {
        cut(offset, end);
        next = first_ending_behind(index_, offset);
    }
    put(next, offset, data);
}

void ScatteredRecords::add_under(Offset offset, std::span<const std::byte> data) {
    while (!data.empty()) {
        const Offset end = offset + static_cast<Offset>(data.size());
        const Entry above = first_ending_behind(index_, offset);
        const bool free = above == index_.end() || above->first > offset;
        const Offset next = above == index_.end() ? end : std::min(end, free ? above->first : end_of(above));
        const auto part = static_cast<std::size_t>(next - offset);
        if (free) put(above, offset, data.first(part));
        offset = next;
        data = data.subspan(part);
    }
}

void ScatteredRecords::split(Offset at) {
    const Entry entry = first_ending_behind(index_, at);
    if (entry != index_.end() && entry->first < at) split(entry, at);
}

std::optional<Offset> ScatteredRecords::first_overlapping(Offset begin, Offset end) const {
    if (begin >= end) return std::nullopt;
    const auto entry = first_ending_behind(index_, begin);
    if (entry == index_.end() || entry->first >= end) return std::nullopt;
    return entry->first;
}

std::optional<Stretch> ScatteredRecords::stretch(std::size_t bytes) const {
    Stretch found{0, std::numeric_limits<Offset>::min()};
    for (const auto& [offset, chain] : index_) {
        if (offset != found.end) {
            if (found.end - found.begin >= static_cast<Offset>(bytes) && found.end > found.begin) return found;
            found.begin = offset;
        }
        found.end = offset + chain.bytes;
    }
    if (found.end - found.begin >= static_cast<Offset>(bytes)) return found;
    return std::nullopt;
}

bool ScatteredRecords::take(Offset begin, Offset end, Taken& taken, RecordSink& sink) {
    Entry entry = index_.lower_bound(begin);
    if (entry == index_.end() || entry->first >= end) return false;
    taken = {entry->first, 0};
    sink.begin(taken.offset);
    Offset next = entry->first;
    for (;;) {
        taken.bytes += entry->second.bytes;
        next = end_of(entry);
        cells_.copy(entry->second, sink);
        entry = erase(entry);
        if (entry == index_.end() || entry->first != next || next >= end) break;
        if (!may_become_one(taken.bytes, entry->second.bytes)) break;
        ++counts_.merged;
    }
    last_ = index_.end();
    ++counts_.records_out;
    return true;
}

}  // namespace kumihimo::iod
