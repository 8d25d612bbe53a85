// The messages of docs/explanation/wire-protocol.md as structures, and their encoding. A message knows nothing of sockets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "iod/protocol/status.hpp"
#include "iod/protocol/wire.hpp"

namespace kumihimo::iod {

using Token = std::array<std::byte, 32>;
using Offset = std::int64_t;
using Way = std::array<std::byte, 16>;      // random: a relay's way to another machine, the same on all its connections
using Opening = std::array<std::byte, 16>;  // random, the same on all hosts: what one opening leaves is known by it
// The first ones: those of the further ways by which a program opens the file, too.
constexpr std::size_t common_opening_bytes = 8;

enum class Type : std::uint16_t {
    hello = 1,
    welcome = 2,
    refuse = 3,
    open = 16,
    attach = 17,
    join = 18,
    leave = 19,
    records = 32,
    drain = 33,
    read = 34,
    call = 35,
    counters = 36,
    failure = 48,
    route = 56,      // to an agent: a way to another machine
    file_open = 64,  // of the file service, and what follows; of version 2 as the one above
    file_write = 65,
    file_read = 66,
    file_call = 67,
    file_remove = 68,
    file_claim = 69,    // of version 4
    file_channel = 70,  // of version 5
    file_about = 80,    // what commands ask, of version 3
    file_look = 81,
    file_list = 82,
    file_rename = 83,
};

// Versions of the protocol. Two sides use the highest that both know; the file service is of version 2, what
// commands ask of version 3, claims of version 4, channels of version 5. From version 6 on a digest of more than the last one
// asked for goes on there.
constexpr std::uint16_t oldest_version = 1, newest_version = 6, version_of_files = 2, version_of_commands = 3,
                        version_of_claims = 4, version_of_channels = 5, version_of_growing_digests = 6;

// Of each choice the last one that this version knows has that name, too.
enum class Method : std::uint8_t { automatic, immediate, journal, sort, last = sort };
enum class Topology : std::uint8_t { ring, tree, star, last = star };
// Of a drain: in the file, durable, durable and done; order: before all that ranks do afterwards, for whoever asks the agents.
enum class Purpose : std::uint8_t { show, sync, close, order, last = order };
constexpr bool makes_durable(Purpose purpose) {
    return purpose == Purpose::sync || purpose == Purpose::close;
}
// show: all that this rank has written so far is in the file, whatever other ranks do (a drain takes all of them).
// pass_by: of a rank at the server's host, which will write to the file itself until the next sync; value: which file it has.
enum class Function : std::uint8_t {
    size,
    set_size,
    preallocate,
    shared_add,
    shared_set,
    lock,
    unlock,
    show,
    pass_by,
    last = pass_by
};

struct Hello {
    std::uint16_t lowest_version = oldest_version, highest_version = newest_version;
    std::uint64_t features = 0;
    std::uint32_t largest_frame = 0;
    Token token{};
    std::string name;  // "agent of host 3", for messages
};
struct Welcome {
    std::uint16_t version = 1;
    std::uint64_t features = 0;
    std::uint32_t largest_frame = 0;
    std::string name;
};

// The highest that both sides know. Throws ProtocolError, which tells both and what to do.
std::uint16_t common_version(const Hello& hello);

// How a file is written; equal on all hosts.
struct Options {
    Method method = Method::automatic;
    bool merge = true;  // adjacent records become one
    Topology topology = Topology::ring;
    std::uint32_t largest_record = 32 << 10;  // DATA_MAX of the paper
    std::uint64_t sort_buffer = 64ull << 20;  // bytes of each host for this file, all memory but the ranks' rings
    std::uint64_t stripe = 64ull << 20;       // which server has which part
    bool durable = true;                      // close and sync wait for the device
    bool accept_incomplete = false;           // open a file that a crash left incomplete
    std::string journal_directory;            // empty: as the agent finds
};

// What an agent may open a file for: no numbers of an operating system.
struct OpenMode {
    bool read = false, write = false, create = false, exclusive = false, delete_on_close = false;
    std::uint32_t permissions = 0666;
};

struct Open {
    std::string path;
    OpenMode mode;
    std::uint32_t host = 0, hosts = 1, servers = 1, ranks_here = 1;
    std::vector<std::uint32_t> children;  // for each server how many hosts will connect to this one
    Options options;
    bool one_machine = false;  // all hosts are on this machine: listen on loopback only
    Opening opened{};
    std::vector<std::string> neighbours{};  // addresses of the other machines whose agents will connect to this one
};
struct Opened {
    Status status;
    std::uint32_t session = 0;                     // this agent's number of the file
    std::vector<std::string> addresses;            // "host:port" of this agent, best first
    std::string local_address;                     // of the Unix socket, abstract
    std::vector<Token> rank_tokens;                // for each rank but the one that asked
    std::vector<std::vector<Token>> child_tokens;  // for each server and child
};
struct Parent {
    bool server_here = false;  // this host is the root
    std::vector<std::string> addresses;
    std::uint32_t session = 0;  // the parent's
    Token token{};
};
struct Attach {
    std::vector<Parent> parents;  // for each server
};
struct Join {
    std::uint32_t rank = 0;
};
struct Leave {
    std::uint64_t ring_position = 0;
};
struct RecordPlace {
    Offset offset;
    std::uint32_t bytes;
};
struct Drain {
    std::uint32_t server = 0;
    std::uint64_t epoch = 0;  // counts from 1
    Purpose purpose = Purpose::show;
    std::uint64_t ring_position = 0;  // ranks
    Status status;
};
struct Drained {
    Status status;
    Offset file_bytes = 0;
};
struct Read {
    std::uint32_t server = 0;
    Offset offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ring_position = 0;
    bool fresh = false;  // from the server, not from what a host has read before (atomic mode)
};
struct Call {
    std::uint32_t server = 0;
    Function function = Function::size;
    std::int64_t value = 0;
    std::uint64_t ring_position = 0;
};
struct Result {
    Status status;
    std::int64_t value = 0;
};

// ---- ways to other machines, and the file service ----

// Starts `command`, whose standard input and output are a connection with an agent of another machine, and passes on what ranks
// send.
struct Route {
    std::vector<std::string> command;  // program and arguments
    std::string host;                  // for messages
    std::uint32_t ranks = 1;           // that use it, with the one that asks
    std::uint32_t patience = 60;       // seconds until the other side must have answered the greeting
    bool alone = false;                // no other way leads to the files that these ranks open: the shared pointer is theirs
    bool compresses = false;           // frames, where that pays
    bool channel = false;              // bytes go by TCP, without encryption
    Way way{};                         // what it is claimed as; zeros: nobody but the relay will know
    std::vector<Way> lost{};           // ways of before that broke: what still serves them there is ended first
};
struct Routed {
    Status status;
    std::string local_address;       // of the agent's Unix socket, abstract
    std::vector<Token> rank_tokens;  // for each rank but the one that asked
    std::uint16_t version = 0;       // of the protocol that the other side speaks
    bool channel = false;            // there is one
};

struct FileOpen {
    std::string path;  // within the root of the other side
    OpenMode mode;
    Opening opening{};   // random, the same for all ranks
    bool first = false;  // of them; the others come when it has its answer
    bool sole = false;   // refused as busy while another one has the file open so
};
struct FileOpened {
    Status status;
    std::uint32_t session = 0;
    // The same only for the same file, of a machine not started anew, which no other program took (files/writers.hpp).
    std::uint64_t file = 0;
};
// lock, unlock: of the whole file, against all that open it so. digest: XXH3 of the first `value` bytes, or of all there are.
enum class FileFunction : std::uint8_t {
    size,
    set_size,
    preallocate,
    sync,
    close,
    shared_add,
    shared_set,
    lock,
    unlock,
    digest,
    last = digest
};
struct FileCall {
    FileFunction function = FileFunction::size;
    std::int64_t value = 0;
};
struct FileRemove {
    std::string path;
};
// Answered when no process that served an earlier connection of this way is left.
struct FileClaim {
    Way way{};
    std::uint32_t patience = 60;  // seconds
};

// Another connection for the same files, by TCP: for who knows the token, once, and as long as the one that asks is there.
struct FileChannel {
    std::uint64_t budget = 0;  // bytes that it may carry
};
struct Channel {
    Status status;
    std::vector<std::string> addresses;
    Token token{};
};

// ---- what commands ask of the file service ----

struct FileAbout {};
struct About {
    Status status;
    std::string version;  // of Kumihimo
    std::string root;     // where paths begin
    std::string home;     // of the user, within the root; empty: it is not
    bool read_only = false;
};
enum class FileKind : std::uint8_t { file, directory, link, other, last = other };
struct FileFacts {
    std::string name;  // without directories
    FileKind kind = FileKind::file;
    std::int64_t bytes = 0, modified = 0;  // seconds since 1970
    std::uint32_t permissions = 0;
};
struct FileLook {
    std::string path;
};
struct Looked {
    Status status;
    FileFacts facts;
    std::uint64_t free_bytes = 0;  // of the file system, for this user
};
// Of a directory, in the order of their bytes: those behind the name `after`.
struct FileList {
    std::string path, after;
};
struct Listed {
    Status status;
    std::vector<FileFacts> entries;
    bool more = false;
};
struct FileRename {
    std::string from, to;
    std::uint64_t file = 0;  // which one it must be, as FileOpened tells; 0: whichever has the name
};

// Bytes of a file, in the order in which they travel: a loop nest over blocks of `length` bytes, outermost level first. A
// thousand rows of a matrix are one nest.
struct LayoutLevel {
    std::int64_t count = 1, stride = 0;
};
struct LayoutNest {
    Offset offset = 0;
    std::int64_t length = 0;
    std::vector<LayoutLevel> levels;
};
struct Layout {
    std::vector<LayoutNest> nests;
};
std::int64_t bytes_of(const LayoutNest& nest);  // precondition: check() is content
std::int64_t bytes_of(const Layout& layout);

using Counters = std::vector<std::pair<std::string, double>>;

// One encode and decode for each structure; decode throws ProtocolError if the payload is too short or makes no sense.
template <typename Message>
Payload encode(const Message& message);
template <typename Message>
Message decode(std::span<const std::byte> payload);

}  // namespace kumihimo::iod
