// The largest numbers that messages may have (docs/explanation/wire-protocol.md, "Limits"). Whoever decodes a message checks
// it, and so may who sends one: what is beyond throws ProtocolError and ends the connection, before anything is made of it.
#pragma once

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

namespace limit {
constexpr std::uint32_t least_frame = 5 << 20;    // that each side must take: a read with its status, a batch of records
constexpr std::size_t name_bytes = 256;           // of who greets, of an errno, a counter
constexpr std::size_t path_bytes = 32 << 10;      // the operating system's own limit is told by its error
constexpr std::size_t text_bytes = 64 << 10;      // of a status; longer ones are cut by who sends them
constexpr std::size_t address_bytes = 64;         // of TCP
constexpr std::size_t local_address_bytes = 107;  // of a Unix socket
constexpr std::size_t addresses = 16;             // of one agent
constexpr std::size_t list_elements = 1 << 16;    // of any list
constexpr std::uint32_t hosts = 1 << 20, servers = 4096, ranks_of_host = 1 << 14;
constexpr std::uint64_t children = 1 << 16;  // of a host, of all servers together
constexpr std::uint32_t ranks = 0x7fff'ffff;
constexpr std::uint32_t record_bytes = 2 << 20;
constexpr std::uint64_t read_bytes = 4 << 20;
constexpr std::uint64_t sort_buffer_bytes = std::uint64_t{1} << 40, stripe_bytes = std::uint64_t{1} << 40;
constexpr std::size_t waiting_requests = 1024;     // of a rank: those that the agent has not begun with
constexpr std::uint64_t under_way = 1 << 20;       // questions of an agent that its parent has not answered
constexpr std::size_t lost_ways = 256;             // that a way to another machine comes after
constexpr std::size_t command_words = 256;         // of a way to another machine
constexpr std::size_t levels = 8;                  // of a layout's nest
constexpr std::uint64_t transfer_bytes = 4 << 20;  // of one file_write or file_read
constexpr std::size_t listed_files = 4096;         // of a directory in one answer
constexpr std::size_t strangers = 64;              // connections without a greeting, besides as many as are expected
}  // namespace limit

// Throw ProtocolError. Of messages that are not here nothing is beyond: each value means something, or names what is not there.
void check(const Status& status);
void check(const Hello& hello);
void check(const Welcome& welcome);
void check(const Options& options);
void check(const Open& open);
void check(const Opened& opened);
void check(const Parent& parent);
void check(const Attach& attach);
void check(const Join& join);
void check(const Drained& drained);
void check(const Read& read);
void check(const Call& call);
void check(const Counters& counters);
void check(const Route& route);
void check(const Routed& routed);
void check(const FileOpen& open);
void check(const FileCall& call);
void check(const FileRemove& remove);
void check(const Channel& channel);
void check(const About& about);
void check(const FileFacts& facts);
void check(const FileLook& look);
void check(const FileList& list);
void check(const Listed& listed);
void check(const FileRename& rename);
void check(const Layout& layout);

// [offset, offset + bytes) lies where a file can be.
bool possible(Offset offset, std::uint64_t bytes);

}  // namespace kumihimo::iod
