// The messages that carry the bytes of files. They are not copied: encoding makes the head only, decoding points into the
// payload.
#pragma once

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

// The head of a `records` frame; the records' bytes follow it.
Payload encode_records_head(std::uint32_t server, std::span<const RecordPlace> places);

class RecordsView {
public:
    explicit RecordsView(std::span<const std::byte> payload);  // throws ProtocolError; points into it
    std::uint32_t server() const { return server_; }
    std::size_t count() const { return count_; }
    RecordPlace place(std::size_t number) const;
    std::span<const std::byte> bytes() const { return bytes_; }  // of all records, one after the other

private:
    std::uint32_t server_ = 0;
    std::size_t count_ = 0;
    std::span<const std::byte> places_, bytes_;
};

// The head of the answer to `read`; the bytes follow it.
Payload encode_data_head(const Status& status);
struct DataView {
    Status status;
    std::span<const std::byte> bytes;
};
DataView decode_data(std::span<const std::byte> payload);  // throws ProtocolError

// The head of `file_write`; the bytes follow it. Also all of `file_read`.
Payload encode_layout_head(const Layout& layout);
struct LayoutView {
    Layout layout;
    std::span<const std::byte> bytes;
};
LayoutView decode_layout(std::span<const std::byte> payload);  // throws ProtocolError

}  // namespace kumihimo::iod
