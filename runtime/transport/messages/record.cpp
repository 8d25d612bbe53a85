#include "runtime/transport/messages/record.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "base/family.hpp"

namespace kumihimo::transport::messages {

// MPICH over UCX takes twice as long for the bytes of messages of 32 KiB.
std::size_t most_payload() {
    constexpr std::size_t KiB = 1024;
    static const std::size_t most = (base::family_name() == std::string_view("mpich") ? 16 : 32) * KiB;
    return most;
}

std::size_t longest_message() {
    constexpr std::size_t levels = Correspondence::most_levels * sizeof(sets::PairedLevel);
    return Message::first_record + sizeof(Record) + levels + most_payload() + sizeof(Record);
}

Record record_of(Kind kind, std::uint64_t region, std::size_t offset, const Correspondence& shape) {
    Record record{kind};
    record.levels = static_cast<std::uint32_t>(shape.levels().size());
    record.region = region;
    record.offset = static_cast<std::int64_t>(offset) + shape.to();
    record.run = shape.run();
    return record;
}

Opened take(Message& message) {
    Opened opened;
    const std::byte* at = message.bytes.get() + message.next;
    std::memcpy(&opened.record, at, sizeof(Record));
    at += sizeof(Record);
    const std::size_t levels_bytes = opened.record.levels * sizeof(sets::PairedLevel);
    std::array<sets::PairedLevel, Correspondence::most_levels> levels;
    std::memcpy(levels.data(), at, levels_bytes);
    opened.shape = Correspondence(opened.record.run, Correspondence::Levels(levels).first(opened.record.levels));
    at += levels_bytes;
    opened.payload = {at, opened.record.payload};
    message.next += length_of(opened.record);
    return opened;
}

std::size_t length_of(const Record& record) {
    const std::size_t bytes = sizeof record + record.levels * sizeof(sets::PairedLevel) + record.payload;
    return (bytes + alignment - 1) / alignment * alignment;
}

std::byte* append(Message& message, const Record& record, std::span<const std::byte> levels) {
    std::byte* const at = message.bytes.get() + message.size;
    message.size += length_of(record);
    std::memcpy(at, &record, sizeof record);
    if (!levels.empty()) std::memcpy(at + sizeof record, levels.data(), levels.size());
    return at + sizeof record + levels.size();
}

std::uint64_t Message::number() const {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.get(), sizeof number);
    return number;
}

void Message::set_number(std::uint64_t number) {
    std::memcpy(bytes.get(), &number, sizeof number);
}

}  // namespace kumihimo::transport::messages
