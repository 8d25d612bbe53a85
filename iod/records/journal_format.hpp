// The bytes of a journal: what a sort buffer wrote to a local file because it was full (overflow.hpp), such that `kumihimo
// files recover` can tell after a crash what is whole. Pure; iod/process writes the file, iod/recover reads what a crash left.
// Its writer holds it locked (flock), so that nobody takes a running program's for one that a crash left.
//
// A header, then blocks, all integers little-endian. A block is a head (fixed part, places of its records) and the records'
// bytes. Its checksum (XXH3, 64 bits) covers all of it and is seeded with the header's, so that a block of another journal, at
// another place or half written is none. Blocks stand in the order in which they were written: later ones win.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "iod/protocol/wire.hpp"
#include "iod/records/batch.hpp"

namespace kumihimo::iod {

struct JournalHeader {
    std::string path;  // of the file that the records belong to, absolute
    Opening opened;
    std::uint32_t host = 0, server = 0;
    std::int64_t created = 0;  // seconds since 1970

    bool operator==(const JournalHeader&) const = default;
};

struct JournalBlock {
    std::uint64_t number = 0;  // counts from 0
    bool begins_run = false;
    std::vector<RecordPlace> places;
    std::uint64_t data_bytes = 0;  // that follow the head
};

// ---- writing ----
Payload encode_journal_header(const JournalHeader& header);
std::uint64_t journal_seed(std::span<const std::byte> encoded_header);
// What stands before the bytes of `records`.
Payload encode_journal_block(std::uint64_t number, bool begins_run, const Batch& records, std::uint64_t seed);

// ---- reading ----
// From the first bytes of a file: header_bytes is where the blocks begin. Nothing: this is no journal, or its header is
// damaged.
struct OpenedJournal {
    JournalHeader header;
    std::size_t header_bytes;
    std::uint64_t seed;
};
std::optional<OpenedJournal> decode_journal_header(std::span<const std::byte> bytes);
constexpr std::size_t largest_journal_header = 64 << 10;

// The block with this number at the beginning of `bytes`, which go on to the end of the file. Nothing: it is damaged or cut
// off.
struct WholeBlock {
    JournalBlock block;
    std::span<const std::byte> data;  // of its records, one after the other
    std::size_t bytes;                // of all of it
};
std::optional<WholeBlock> decode_journal_block(std::span<const std::byte> bytes, std::uint64_t number, std::uint64_t seed);

}  // namespace kumihimo::iod
