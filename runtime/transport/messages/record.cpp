#include "runtime/transport/messages/record.hpp"

#include <array>
#include <cstring>

namespace kumihimo::transport::messages {

namespace {

constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

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
    const std::byte* at = message.bytes.data() + message.next;
    std::memcpy(&opened.record, at, sizeof(Record));
    at += sizeof(Record);
    const std::size_t levels_bytes = opened.record.levels * sizeof(sets::PairedLevel);
    std::array<sets::PairedLevel, Correspondence::most_levels> levels;
    std::memcpy(levels.data(), at, levels_bytes);
    opened.shape = Correspondence(opened.record.run, Correspondence::Levels(levels).first(opened.record.levels));
    at += levels_bytes;
    opened.payload = {at, opened.record.payload};
    message.next += rounded(sizeof(Record) + levels_bytes + opened.record.payload);
    return opened;
}

std::byte* append(std::vector<std::byte>& batch, const Record& record, std::span<const std::byte> levels) {
    const std::size_t begin = batch.size();
    batch.resize(begin + rounded(sizeof record + levels.size() + record.payload));
    std::byte* const at = batch.data() + begin;
    std::memcpy(at, &record, sizeof record);
    if (!levels.empty()) std::memcpy(at + sizeof record, levels.data(), levels.size());
    return at + sizeof record + levels.size();
}

void append(std::vector<std::byte>& batch, const Record& record, std::span<const std::byte> levels,
            std::span<const std::byte> payload) {
    std::byte* const at = append(batch, record, levels);
    if (!payload.empty()) std::memcpy(at, payload.data(), payload.size());
}

}  // namespace kumihimo::transport::messages
