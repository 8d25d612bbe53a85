#include "iod/protocol/bulk.hpp"

#include "iod/protocol/limits.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod {

namespace {

constexpr std::size_t place_bytes = 12;  // offset and length

Payload with_length(const Payload& encoded) {
    Writer writer;
    writer.integer(static_cast<std::uint32_t>(encoded.size()));
    writer.raw(encoded);
    return writer.take();
}

}  // namespace

Payload encode_records_head(std::uint32_t server, std::span<const RecordPlace> places) {
    Payload head(8 + places.size() * place_bytes);
    store_little(head.data(), server);
    store_little(head.data() + 4, static_cast<std::uint32_t>(places.size()));
    std::byte* at = head.data() + 8;
    for (const RecordPlace& place : places) {
        store_little(at, place.offset);
        store_little(at + 8, place.bytes);
        at += place_bytes;
    }
    return head;
}

RecordsView::RecordsView(std::span<const std::byte> payload) {
    Reader reader(payload);
    server_ = reader.integer<std::uint32_t>();
    count_ = reader.integer<std::uint32_t>();
    places_ = reader.raw(count_ * place_bytes);
    bytes_ = reader.rest();
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        if (!possible(place(i).offset, place(i).bytes)) throw ProtocolError("a record that no file can have");
        total += place(i).bytes;
    }
    if (total != bytes_.size()) throw ProtocolError("records whose bytes are not there");
}

RecordPlace RecordsView::place(std::size_t number) const {
    const std::byte* const at = places_.data() + number * place_bytes;
    return {load_little<Offset>(at), load_little<std::uint32_t>(at + 8)};
}

Payload encode_data_head(const Status& status) {
    return with_length(encode(status));
}

Payload encode_layout_head(const Layout& layout) {
    return with_length(encode(layout));
}

LayoutView decode_layout(std::span<const std::byte> payload) {
    Reader reader(payload);
    const auto layout = reader.raw(reader.integer<std::uint32_t>());
    return {decode<Layout>(layout), reader.rest()};
}

DataView decode_data(std::span<const std::byte> payload) {
    Reader reader(payload);
    const auto status = reader.raw(reader.integer<std::uint32_t>());
    return {decode<Status>(status), reader.rest()};
}

}  // namespace kumihimo::iod
