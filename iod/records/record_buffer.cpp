#include "iod/records/record_buffer.hpp"

#include "iod/records/filled_pages.hpp"
#include "iod/records/scattered_records.hpp"

namespace kumihimo::iod {

RecordBuffer::RecordBuffer(std::size_t capacity_bytes, std::size_t largest_record, bool merge)
    : capacity_(capacity_bytes), largest_(largest_record), merge_(merge), slabs_(capacity_bytes) {
    begin();
}
RecordBuffer::~RecordBuffer() = default;

// Pages cannot tell neighbours apart that must not become one.
void RecordBuffer::begin() {
    scattered_.reset();
    if (merge_)
        pages_ = std::make_unique<FilledPages>(capacity_, largest_, slabs_, counts_);
    else
        scattered_ = scattered_records();
}

std::unique_ptr<ScatteredRecords> RecordBuffer::scattered_records() {
    return std::make_unique<ScatteredRecords>(capacity_, largest_, merge_, slabs_, counts_);
}

// ask(either): both have the same functions.
template <typename Ask>
auto RecordBuffer::held(Ask&& ask) const {
    return pages_ ? ask(*pages_) : ask(*scattered_);
}

bool RecordBuffer::fits(std::size_t bytes, std::size_t records) const {
    return held([&](const auto& either) { return either.fits(bytes, records); });
}

void RecordBuffer::add(Offset offset, std::span<const std::byte> data) {
    if (data.empty()) return;
    if (merge_ && scattered_ && scattered_->empty()) begin();
    ++counts_.records_in;
    held([&](auto& either) { either.add(offset, data); });
    if (pages_ && pages_->scattered()) scatter();
}

void RecordBuffer::scatter() {
    scattered_ = scattered_records();
    pages_->move_to(*scattered_);
    pages_.reset();
    slabs_.keep_at_most(capacity_ / 4 * 3);  // the rest is for the index
}

void RecordBuffer::add_under(Offset offset, std::span<const std::byte> data) {
    held([&](auto& either) { either.add_under(offset, data); });
}

void RecordBuffer::split(Offset at) {
    if (scattered_) scattered_->split(at);  // pages let go of any part
}

bool RecordBuffer::empty() const {
    return held([](const auto& either) { return either.empty(); });
}
std::size_t RecordBuffer::parts() const {
    return held([](const auto& either) { return either.parts(); });
}
std::size_t RecordBuffer::data_bytes() const {
    return held([](const auto& either) { return either.data_bytes(); });
}
std::size_t RecordBuffer::memory_bytes() const {
    return slabs_.memory_bytes() + held([](const auto& either) { return either.index_bytes(); });
}
Offset RecordBuffer::lowest() const {
    return held([](const auto& either) { return either.lowest(); });
}
Offset RecordBuffer::highest_end() const {
    return held([](const auto& either) { return either.highest_end(); });
}
std::optional<Offset> RecordBuffer::first_overlapping(Offset begin, Offset end) const {
    return held([&](const auto& either) { return either.first_overlapping(begin, end); });
}
std::optional<Stretch> RecordBuffer::stretch(std::size_t bytes) const {
    return held([&](const auto& either) { return either.stretch(bytes); });
}
bool RecordBuffer::take(Offset begin, Offset end, Taken& taken, RecordSink& sink) {
    return held([&](auto& either) { return either.take(begin, end, taken, sink); });
}

}  // namespace kumihimo::iod
