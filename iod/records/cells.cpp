#include "iod/records/cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kumihimo::iod {

Cells::Cells(Slabs& slabs)
    : pool_(slabs), slab_bits_(static_cast<unsigned>(std::bit_width(slabs.slab_bytes() / sizeof(Cell)) - 1)) {}

Cells::~Cells() {
    for (PageMemory& slab : slabs_) pool_.give_back(std::move(slab));
}

Cells::Number Cells::allocate() {
    ++used_;
    if (free_ != none) {
        const Number number = free_;
        free_ = cell(number).next;
        if (free_ != none) __builtin_prefetch(&cell(free_));  // else the next allocation waits for it
        return number;
    }
    if (untouched_ == slabs_.size() << slab_bits_) slabs_.push_back(pool_.take());
    return untouched_++;
}

Cells::Chain Cells::store(std::span<const std::byte> data) {
    const Number number = allocate();
    cell(number).next = none;
    cell(number).begin = cell(number).end = 0;
    Chain chain{number, number, 0};
    append(chain, data);
    return chain;
}

void Cells::append(Chain& chain, std::span<const std::byte> data) {
    chain.bytes += static_cast<std::uint32_t>(data.size());
    for (;;) {
        Cell& last = cell(chain.last);
        const std::size_t part = std::min(data.size(), Cell::capacity - last.end);
        std::memcpy(last.data + last.end, data.data(), part);
        last.end = static_cast<std::uint16_t>(last.end + part);
        data = data.subspan(part);
        if (data.empty()) return;
        const Number number = allocate();
        cell(chain.last).next = number;
        cell(number).next = none;
        cell(number).begin = cell(number).end = 0;
        chain.last = number;
    }
}

void Cells::join(Chain& front, const Chain& back) {
    cell(front.last).next = back.first;
    front.last = back.last;
    front.bytes += back.bytes;
}

Cells::Chain Cells::split(Chain& chain, std::size_t bytes) {
    Number at = chain.first;
    std::size_t left = bytes;
    const auto length = [&](Number number) -> std::size_t { return cell(number).end - cell(number).begin; };
    for (; left > length(at); at = cell(at).next) left -= length(at);
    Chain back{cell(at).next, chain.last, static_cast<std::uint32_t>(chain.bytes - bytes)};
    if (left < length(at)) {  // the boundary lies inside this cell: its rest gets a cell of its own
        const Number number = allocate();
        const Cell& whole = cell(at);
        Cell& rest = cell(number);
        rest.next = whole.next;
        rest.begin = 0;
        rest.end = static_cast<std::uint16_t>(length(at) - left);
        std::memcpy(rest.data, whole.data + whole.begin + left, rest.end);
        back.first = number;
        if (at == chain.last) back.last = number;
    }
    cell(at).end = static_cast<std::uint16_t>(cell(at).begin + left);
    cell(at).next = none;
    chain.last = at;
    chain.bytes = static_cast<std::uint32_t>(bytes);
    return back;
}

void Cells::copy(const Chain& chain, RecordSink& sink) const {
    for (Number number = chain.first; number != none; number = cell(number).next) {
        const Cell& one = cell(number);
        if (one.next != none) __builtin_prefetch(&cell(one.next));
        sink.put({one.data + one.begin, one.data + one.end});
    }
}

void Cells::release(const Chain& chain) {
    std::size_t cells = 1;
    for (Number number = chain.first; number != chain.last; number = cell(number).next) ++cells;
    cell(chain.last).next = free_;
    free_ = chain.first;
    used_ -= cells;
    if (used_ > 0) return;
    free_ = none;  // from the beginning, in ascending order again
    untouched_ = 0;
}

std::size_t Cells::memory_bytes_with(std::size_t bytes, std::size_t chains) const {
    const std::size_t needed = used_ + (bytes + Cell::capacity - 1) / Cell::capacity + 3 * chains;
    const std::size_t slabs = (needed + cells_per_slab() - 1) >> slab_bits_;
    return std::max(slabs, slabs_.size()) * (pool_.slab_bytes() + sizeof(slabs_[0]));
}

}  // namespace kumihimo::iod
