// Records are chains of cells in a B-tree by offset; none overlaps another. A B-tree, since with millions of small records in
// any order a binary tree's cache misses cost three times as much.
#include "iod/records/record_buffer.hpp"

#include <absl/container/btree_map.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "iod/records/cells.hpp"

namespace kumihimo::iod {

namespace {

// Counts what the index takes, for the bound on memory.
template <typename T>
struct CountingAllocator {
    using value_type = T;
    std::size_t* bytes;

    explicit CountingAllocator(std::size_t* counter) : bytes(counter) {}
    template <typename U>
    CountingAllocator(const CountingAllocator<U>& other) : bytes(other.bytes) {}
    T* allocate(std::size_t n) {
        *bytes += n * sizeof(T);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* place, std::size_t n) {
        *bytes -= n * sizeof(T);
        std::allocator<T>().deallocate(place, n);
    }
    template <typename U>
    bool operator==(const CountingAllocator<U>& other) const {
        return bytes == other.bytes;
    }
};

// An added record makes at most three new entries, and each at most one new node (256 bytes) on each of few levels.
constexpr std::size_t index_growth = 8192;

constexpr int most_steps = 8;  // from record to record: more of them take longer than a search

}  // namespace

struct RecordBuffer::Store {
    using Index = absl::btree_map<Offset, Cells::Chain, std::less<>, CountingAllocator<std::pair<const Offset, Cells::Chain>>>;
    using Entry = Index::iterator;

    Store(std::size_t capacity_bytes, std::size_t largest_record, bool merges)
        : largest(largest_record),
          merge(merges),
          cells(capacity_bytes),
          capacity(std::max(capacity_bytes, least_capacity())),
          index(CountingAllocator<std::pair<const Offset, Cells::Chain>>(&index_bytes)),
          last(index.end()) {}

    std::size_t least_capacity() const { return cells.memory_bytes_with(3 * largest, 3) + 3 * index_growth; }
    static Offset end_of(Entry entry) { return entry->first + entry->second.bytes; }
    bool may_become_one(std::size_t one, std::size_t other) const { return merge && one + other <= largest; }

    Entry first_ending_behind(Offset offset);
    Entry near_last(Offset offset);
    void put(Entry next, Offset offset, std::span<const std::byte> data);
    void join_with_next(Entry entry);
    Entry erase(Entry entry);
    void split(Entry entry, Offset at);
    void cut(Offset begin, Offset end);

    std::size_t largest;
    bool merge;
    Cells cells;
    std::size_t capacity, index_bytes = 0, data_bytes = 0;
    Index index;
    Entry last;  // the record that was added last: most records follow it. end(): unknown
    Counts counts;
};

RecordBuffer::Store::Entry RecordBuffer::Store::first_ending_behind(Offset offset) {
    const Entry behind = index.upper_bound(offset);
    if (behind == index.begin()) return behind;
    const Entry before = std::prev(behind);
    return end_of(before) > offset ? before : behind;
}

// The same, found from the last record on: a rank's rows lie behind each other, with other ranks' rows between.
RecordBuffer::Store::Entry RecordBuffer::Store::near_last(Offset offset) {
    if (last == index.end() || end_of(last) > offset) return first_ending_behind(offset);
    Entry entry = std::next(last);
    for (int steps = 0; steps < most_steps; ++steps, ++entry)
        if (entry == index.end() || end_of(entry) > offset) return entry;
    return first_ending_behind(offset);
}

// Before `next`, where nothing else lies.
void RecordBuffer::Store::put(Entry next, Offset offset, std::span<const std::byte> data) {
    data_bytes += data.size();
    if (next != index.begin()) {
        const Entry before = std::prev(next);
        if (end_of(before) == offset && may_become_one(before->second.bytes, data.size())) {
            cells.append(before->second, data);
            ++counts.merged;
            join_with_next(before);
            return;
        }
    }
    join_with_next(index.emplace_hint(next, offset, cells.store(data)));
}

void RecordBuffer::Store::join_with_next(Entry entry) {
    last = entry;
    const Entry next = std::next(entry);
    if (next == index.end() || next->first != end_of(entry)) return;
    if (!may_become_one(entry->second.bytes, next->second.bytes)) return;
    cells.join(entry->second, next->second);
    ++counts.merged;
    last = std::prev(index.erase(next));
}

RecordBuffer::Store::Entry RecordBuffer::Store::erase(Entry entry) {
    data_bytes -= entry->second.bytes;
    cells.release(entry->second);
    return index.erase(entry);
}

void RecordBuffer::Store::split(Entry entry, Offset at) {
    const Cells::Chain back = cells.split(entry->second, static_cast<std::size_t>(at - entry->first));
    index.emplace(at, back);
    last = index.end();
}

void RecordBuffer::Store::cut(Offset begin, Offset end) {
    for (Entry entry = first_ending_behind(begin); entry != index.end() && entry->first < end;
         entry = first_ending_behind(begin)) {
        if (entry->first < begin) {
            split(entry, begin);
        } else {
            if (end_of(entry) > end) {
                split(entry, end);
                entry = first_ending_behind(begin);
            }
            counts.overwritten_bytes += entry->second.bytes;
            erase(entry);
        }
    }
    last = index.end();
}

RecordBuffer::RecordBuffer(std::size_t capacity_bytes, std::size_t largest_record, bool merge)
    : store_(std::make_unique<Store>(capacity_bytes, largest_record, merge)) {}
RecordBuffer::~RecordBuffer() = default;

bool RecordBuffer::fits(std::size_t bytes, std::size_t records) const {
    return store_->cells.memory_bytes_with(bytes, records) + store_->index_bytes + records * index_growth <= store_->capacity;
}

void RecordBuffer::add(Offset offset, std::span<const std::byte> data) {
    if (data.empty()) return;
    ++store_->counts.records_in;
    const Offset end = offset + static_cast<Offset>(data.size());
    Store::Entry next = store_->near_last(offset);
    if (next != store_->index.end() && next->first < end) {
        store_->cut(offset, end);
        next = store_->first_ending_behind(offset);
    }
    store_->put(next, offset, data);
}

void RecordBuffer::add_under(Offset offset, std::span<const std::byte> data) {
    while (!data.empty()) {
        const Offset end = offset + static_cast<Offset>(data.size());
        const Store::Entry above = store_->first_ending_behind(offset);
        const bool free = above == store_->index.end() || above->first > offset;
        const Offset next = above == store_->index.end() ? end : std::min(end, free ? above->first : Store::end_of(above));
        const auto part = static_cast<std::size_t>(next - offset);
        if (free) store_->put(above, offset, data.first(part));
        offset = next;
        data = data.subspan(part);
    }
}

void RecordBuffer::split(Offset at) {
    const Store::Entry entry = store_->first_ending_behind(at);
    if (entry != store_->index.end() && entry->first < at) store_->split(entry, at);
}

bool RecordBuffer::empty() const {
    return store_->index.empty();
}
std::size_t RecordBuffer::records() const {
    return store_->index.size();
}
std::size_t RecordBuffer::data_bytes() const {
    return store_->data_bytes;
}
std::size_t RecordBuffer::memory_bytes() const {
    return store_->cells.memory_bytes() + store_->index_bytes;
}
Offset RecordBuffer::lowest() const {
    return store_->index.begin()->first;
}
Offset RecordBuffer::highest_end() const {
    return Store::end_of(std::prev(store_->index.end()));
}
const RecordBuffer::Counts& RecordBuffer::counts() const {
    return store_->counts;
}

std::optional<Offset> RecordBuffer::first_overlapping(Offset begin, Offset end) const {
    if (begin >= end) return std::nullopt;
    const Store::Entry entry = store_->first_ending_behind(begin);
    if (entry == store_->index.end() || entry->first >= end) return std::nullopt;
    return entry->first;
}

std::optional<Stretch> RecordBuffer::stretch(std::size_t bytes) const {
    Stretch found{0, std::numeric_limits<Offset>::min()};
    for (const auto& [offset, chain] : store_->index) {
        if (offset != found.end) {
            if (found.end - found.begin >= static_cast<Offset>(bytes) && found.end > found.begin) return found;
            found.begin = offset;
        }
        found.end = offset + chain.bytes;
    }
    if (found.end - found.begin >= static_cast<Offset>(bytes)) return found;
    return std::nullopt;
}

bool RecordBuffer::take(Offset begin, Offset end, Taken& taken, RecordSink& sink) {
    Store& store = *store_;
    Store::Entry entry = store.index.lower_bound(begin);
    if (entry == store.index.end() || entry->first >= end) return false;
    taken = {entry->first, 0};
    sink.begin(taken.offset);
    Offset next = entry->first;
    for (;;) {
        taken.bytes += entry->second.bytes;
        next = Store::end_of(entry);
        store.cells.copy(entry->second, sink);
        entry = store.erase(entry);
        if (entry == store.index.end() || entry->first != next || next >= end) break;
        if (!store.may_become_one(taken.bytes, entry->second.bytes)) break;
        ++store.counts.merged;
    }
    store.last = store.index.end();
    ++store.counts.records_out;
    return true;
}

}  // namespace kumihimo::iod
