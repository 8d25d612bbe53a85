#include "iod/records/filled_pages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "iod/records/bits.hpp"
#include "iod/records/scattered_records.hpp"

namespace kumihimo::iod {

namespace {

constexpr std::size_t largest_page = 32 << 10;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Three of them, with their bits, in the smallest slab.
unsigned bits_of_page(std::size_t largest_record, std::size_t slab_bytes) {
    return static_cast<unsigned>(std::bit_width(std::min({largest_record, largest_page, slab_bytes / 4})) - 1);
}

}  // namespace

FilledPages::FilledPages(std::size_t capacity_bytes, std::size_t largest_record, Slabs& slabs, RecordCounts& counts)
    : counts_(counts),
      largest_(largest_record),
      page_bits_(bits_of_page(largest_record, slabs.slab_bytes())),
      page_bytes_(std::size_t{1} << page_bits_),
      page_room_(rounded_up(page_bytes_, bits_per_word)),
      pool_(slabs) {
    const std::size_t least_pages = 3 * (largest_ / page_bytes_ + 2);  // what three largest records take
    most_slabs_ = std::max(capacity_bytes / (pool_.slab_bytes() + pages_per_slab() * index_bytes_of_page),
                           (least_pages + pages_per_slab() - 1) / pages_per_slab());
}

FilledPages::~FilledPages() {
    for (PageMemory& slab : slabs_) pool_.give_back(std::move(slab));
}

// ---- memory ----

// A record lies on one page more than its length says, at either end.
bool FilledPages::fits(std::size_t bytes, std::size_t records) const {
    return index_.size() + bytes / page_bytes_ + 2 * records <= most_pages();
}

void FilledPages::add_slab() {
    slabs_.push_back(pool_.take());
    for (std::size_t i = pages_per_slab(); i-- > 0;) {
        auto* const page = new (slabs_.back().get() + i * memory_of_page()) Page{0, 0};
        free_.push_back(page);
    }
}

FilledPages::Page* FilledPages::make_page(Offset number) {
    if (free_.empty()) add_slab();
    Page* const page = free_.back();
    const auto [entry, is_new] = index_.try_emplace(number, page);
    if (!is_new) return entry->second;
    free_.pop_back();
    ++made_;
    *page = {number, 0};
    std::memset(bits_of(page), 0, page_room_ / 8);
    return page;
}

FilledPages::Page* FilledPages::page_of(Offset number) {
    Page*& recent = recent_[static_cast<std::size_t>(number) % recent_pages];
    if (recent == nullptr || recent->number != number) recent = make_page(number);
    return recent;
}

void FilledPages::free_page(Index::iterator entry) {
    Page* const page = entry->second;
    Page*& recent = recent_[static_cast<std::size_t>(page->number) % recent_pages];
    if (recent == page) recent = nullptr;
    free_.push_back(page);
    index_.erase(entry);
}

// ---- coming in ----

template <typename Part>
void FilledPages::for_each_page(Offset offset, std::span<const std::byte> data, Part&& part) {
    while (!data.empty()) {
        const auto at = static_cast<std::size_t>(offset) & (page_bytes_ - 1);
        const std::size_t bytes = std::min(data.size(), page_bytes_ - at);
        part(page_of(offset >> page_bits_), at, data.first(bytes));
        offset += static_cast<Offset>(bytes);
        data = data.subspan(bytes);
    }
}

void FilledPages::put(Page* page, std::size_t at, std::span<const std::byte> data) {
    std::memcpy(bytes_of(page) + at, data.data(), data.size());
    const std::size_t fresh = change_bits(bits_of(page), at, at + data.size(), true);
    page->filled += fresh;
    data_bytes_ += fresh;
    counts_.overwritten_bytes += data.size() - fresh;
}

bool FilledPages::holds(Offset at) const {
    const Offset number = at >> page_bits_;
    const Page* page = recent_[static_cast<std::size_t>(number) % recent_pages];
    if (page == nullptr || page->number != number) {
        const auto entry = index_.find(number);
        if (entry == index_.end()) return false;
        page = entry->second;
    }
    return bit_at(bits_of(page), static_cast<std::size_t>(at - begin_of(page)));
}

void FilledPages::add(Offset offset, std::span<const std::byte> data) {
    counts_.merged += (offset > 0 && holds(offset - 1)) + holds(offset + static_cast<Offset>(data.size()));
    for_each_page(offset, data, [this](Page* page, std::size_t at, std::span<const std::byte> part) { put(page, at, part); });
}

void FilledPages::add_under(Offset offset, std::span<const std::byte> data) {
    for_each_page(offset, data, [this](Page* page, std::size_t at, std::span<const std::byte> part) {
        const std::size_t end = at + part.size();
        for (std::size_t from = at, to; (from = first_bit(bits_of(page), from, end, false)) < end; from = to) {
            to = first_bit(bits_of(page), from, end, true);
            put(page, from, part.subspan(from - at, to - from));
        }
    });
}

// ---- looking ----

template <typename Visit>
void FilledPages::for_each_run(const Page* page, Visit&& visit) const {
    const std::uint64_t* const bits = bits_of(page);
    for (std::size_t from = 0, end; (from = first_bit(bits, from, page_bytes_, true)) < page_bytes_; from = end) {
        end = first_bit(bits, from, page_bytes_, false);
        visit(from, end);
    }
}

Offset FilledPages::lowest() const {
    const Page* const page = index_.begin()->second;
    return begin_of(page) + static_cast<Offset>(first_bit(bits_of(page), 0, page_bytes_, true));
}

Offset FilledPages::highest_end() const {
    const Page* const page = std::prev(index_.end())->second;
    return begin_of(page) + static_cast<Offset>(end_of_bits(bits_of(page), page_bytes_));
}

std::optional<Offset> FilledPages::first_overlapping(Offset begin, Offset end) const {
    if (begin >= end) return std::nullopt;
    for (auto entry = index_.lower_bound(begin >> page_bits_); entry != index_.end(); ++entry) {
        const Page* const page = entry->second;
        const Offset first = begin_of(page);
        if (first >= end) break;
        const auto from = static_cast<std::size_t>(std::max<Offset>(begin - first, 0));
        const std::size_t found = first_bit(bits_of(page), from, page_bytes_, true);
        if (found == page_bytes_) continue;
        const Offset at = first + static_cast<Offset>(found);
        return at < end ? std::optional(at) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Stretch> FilledPages::stretch(std::size_t bytes) const {
    Stretch found{0, 0};
    const auto long_enough = [&] { return found.end > found.begin && found.end - found.begin >= static_cast<Offset>(bytes); };
    for (const auto& entry : index_) {
        const auto& page = entry.second;
        bool done = false;
        for_each_run(page, [&](std::size_t from, std::size_t end) {
            const Offset begin = begin_of(page) + static_cast<Offset>(from);
            done = done || (begin != found.end && long_enough());
            if (done) return;
            if (begin != found.end) found.begin = begin;
            found.end = begin_of(page) + static_cast<Offset>(end);
        });
        if (done) return found;
    }
    return long_enough() ? std::optional(found) : std::nullopt;
}

// ---- going out ----

// As much of a run as a record may have, from page to page.
bool FilledPages::take(Offset begin, Offset end, Taken& taken, RecordSink& sink) {
    const std::optional<Offset> first = first_overlapping(begin, end);
    if (!first) return false;
    taken = {*first, 0};
    sink.begin(*first);
    const Offset last = end - *first > static_cast<Offset>(largest_) ? *first + static_cast<Offset>(largest_) : end;
    for (Offset at = *first; at < last && holds(at); at = taken.offset + static_cast<Offset>(taken.bytes))
        taken.bytes += take_of_page(index_.find(at >> page_bits_), at, last, sink);
    counts_.merged -= taken.bytes == largest_ && holds(taken.offset + static_cast<Offset>(taken.bytes));
    ++counts_.records_out;
    return true;
}

std::size_t FilledPages::take_of_page(Index::iterator entry, Offset begin, Offset end, RecordSink& sink) {
    Page* const page = entry->second;
    const auto from = static_cast<std::size_t>(begin - begin_of(page));
    const auto limit = static_cast<std::size_t>(std::min<Offset>(end - begin_of(page), static_cast<Offset>(page_bytes_)));
    const std::size_t run_end = first_bit(bits_of(page), from, limit, false);
    sink.put({bytes_of(page) + from, run_end - from});
    change_bits(bits_of(page), from, run_end, false);
    page->filled -= run_end - from;
    data_bytes_ -= run_end - from;
    if (page->filled == 0) free_page(entry);
    return run_end - from;
}

// ---- when memory becomes short ----

std::size_t FilledPages::memory_if_scattered() const {
    std::size_t bytes = 0;
    for (const auto& [number, page] : index_)
        for_each_run(page, [&](std::size_t from, std::size_t end) { bytes += ScatteredRecords::memory_of(end - from); });
    return bytes;
}

// The look visits every bit, so it is taken when few pages are left, and again when half of them are new: what is there may
// still fill up.
bool FilledPages::scattered() {
    const bool few_left = index_.size() >= most_pages() - most_pages() / 8;
    if (!few_left || made_ < next_look_) return false;
    next_look_ = made_ + most_pages() / 2;
    return memory_if_scattered() <= index_.size() * memory_of_page() / 2;
}

// Slab by slab, so that freed memory can be used on the way.
void FilledPages::move_to(ScatteredRecords& records) {
    free_.clear();
    while (!slabs_.empty()) {
        for (std::size_t i = 0; i < pages_per_slab(); ++i) {
            const auto* const page = reinterpret_cast<const Page*>(slabs_.back().get() + i * memory_of_page());
            if (page->filled == 0) continue;
            for_each_run(page, [&](std::size_t from, std::size_t end) {
                records.add(begin_of(page) + static_cast<Offset>(from), {bytes_of(page) + from, end - from});
            });
        }
        pool_.give_back(std::move(slabs_.back()));
        slabs_.pop_back();
    }
}

}  // namespace kumihimo::iod
