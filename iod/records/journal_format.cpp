#include "iod/records/journal_format.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace kumihimo::iod {

namespace {

constexpr std::uint64_t header_magic = 0x3130'4c4e'524a'484b;  // "KHJRNL01"
constexpr std::uint32_t block_magic = 0x4b4a'484b;             // "KHJK"
constexpr std::uint32_t flag_begins_run = 1;
constexpr std::size_t checksum_bytes = 8, place_bytes = 12;
constexpr std::size_t block_fixed_bytes = 4 + 4 + 8 + 4 + 8 + checksum_bytes;  // magic, flags, number, records, bytes, checksum

std::uint64_t checksum(std::span<const std::byte> fixed, std::span<const std::byte> places, std::span<const std::byte> data,
                       std::uint64_t seed) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset_withSeed(&state, seed);
    for (const std::span<const std::byte> part : {fixed, places, data}) XXH3_64bits_update(&state, part.data(), part.size());
    return XXH3_64bits_digest(&state);
}

JournalHeader header_fields(Reader& reader, std::uint32_t path_bytes) {
    JournalHeader header;
    const auto path = reader.raw(path_bytes);
    header.path.assign(reinterpret_cast<const char*>(path.data()), path.size());
    std::ranges::copy(reader.raw(header.opened.size()), header.opened.begin());
    header.host = reader.integer<std::uint32_t>();
    header.server = reader.integer<std::uint32_t>();
    header.created = reader.integer<std::int64_t>();
    return header;
}

// Ascending, none over another, none negative: what was written, or a checksum that hides a damage.
std::vector<RecordPlace> places_of(Reader& reader, std::uint32_t records, std::uint64_t data_bytes) {
    std::vector<RecordPlace> places;
    Offset end = 0;
    for (std::uint32_t i = 0; i < records; ++i) {
        const auto offset = reader.integer<std::int64_t>();
        const auto bytes = reader.integer<std::uint32_t>();
        if (offset < end || bytes == 0 || bytes > data_bytes || offset > INT64_MAX - bytes)
            throw ProtocolError("a journal's records are not in order");
        end = offset + bytes;
        data_bytes -= bytes;
        places.push_back({offset, bytes});
    }
    if (data_bytes != 0) throw ProtocolError("a journal's block has bytes that belong to no record");
    return places;
}

WholeBlock whole_block(std::span<const std::byte> bytes, std::uint64_t number, std::uint64_t seed) {
    Reader reader(bytes);
    const auto fixed = bytes.first(std::min(bytes.size(), block_fixed_bytes - checksum_bytes));
    if (reader.integer<std::uint32_t>() != block_magic) throw ProtocolError("no block of a journal");
    const auto flags = reader.integer<std::uint32_t>();
    const auto found = reader.integer<std::uint64_t>();
    const auto records = reader.integer<std::uint32_t>();
    const auto data_bytes = reader.integer<std::uint64_t>();
    const auto sum = reader.integer<std::uint64_t>();
    const auto place_list = reader.raw(std::size_t{records} * place_bytes);
    const auto data = reader.raw(data_bytes);
    if (found != number || sum != checksum(fixed, place_list, data, seed)) throw ProtocolError("a damaged block of a journal");
    Reader places(place_list);
    WholeBlock whole{{number, (flags & flag_begins_run) != 0, places_of(places, records, data_bytes), data_bytes}, data, 0};
    whole.bytes = block_fixed_bytes + place_list.size() + data.size();
    return whole;
}

}  // namespace

Payload encode_journal_header(const JournalHeader& header) {
    Writer writer;
    writer.integer(header_magic);
    writer.integer(static_cast<std::uint32_t>(header.path.size()));
    writer.raw(std::as_bytes(std::span(header.path)));
    writer.raw(header.opened);
    writer.integer(header.host);
    writer.integer(header.server);
    writer.integer(header.created);
    Payload bytes = writer.take();
    const std::uint64_t sum = checksum(bytes, {}, {}, 0);
    bytes.resize(bytes.size() + checksum_bytes);
    store_little(bytes.data() + bytes.size() - checksum_bytes, sum);
    return bytes;
}

std::uint64_t journal_seed(std::span<const std::byte> encoded_header) {
    return load_little<std::uint64_t>(encoded_header.last(checksum_bytes).data());
}

Payload encode_journal_block(std::uint64_t number, bool begins_run, const Batch& records, std::uint64_t seed) {
    Writer fixed, places;
    fixed.integer(block_magic);
    fixed.integer(begins_run ? flag_begins_run : std::uint32_t{0});
    fixed.integer(number);
    fixed.integer(static_cast<std::uint32_t>(records.places.size()));
    fixed.integer(static_cast<std::uint64_t>(records.bytes.size()));
    for (const RecordPlace& place : records.places) {
        places.integer(place.offset);
        places.integer(place.bytes);
    }
    Payload head = fixed.take();
    const Payload list = places.take();
    const std::uint64_t sum = checksum(head, list, records.bytes, seed);
    head.resize(head.size() + checksum_bytes);
    store_little(head.data() + head.size() - checksum_bytes, sum);
    head.append(list);
    return head;
}

std::optional<OpenedJournal> decode_journal_header(std::span<const std::byte> bytes) try {
    Reader reader(bytes);
    if (reader.integer<std::uint64_t>() != header_magic) return std::nullopt;
    const auto path_bytes = reader.integer<std::uint32_t>();
    OpenedJournal opened{header_fields(reader, path_bytes), 0, 0};
    const std::size_t fields = bytes.size() - reader.rest().size();
    opened.seed = reader.integer<std::uint64_t>();
    opened.header_bytes = fields + checksum_bytes;
    if (opened.seed != checksum(bytes.first(fields), {}, {}, 0)) return std::nullopt;
    return opened;
} catch (const ProtocolError&) {
    return std::nullopt;
}

std::optional<WholeBlock> decode_journal_block(std::span<const std::byte> bytes, std::uint64_t number, std::uint64_t seed) try {
    return whole_block(bytes, number, seed);
} catch (const ProtocolError&) {
    return std::nullopt;
}

}  // namespace kumihimo::iod
