// Streams of stdio whose file one node has open. All nodes have a stream with the same buffer, so they come to its end in the
// same call: reading it again is collective, as opening and closing are. Writing is not, because nodes may write different
// text; nor is seeking, since each node knows the position: the C library does both at exit, when there is no MPI any more.
#include "runtime/xmpio/master_streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/persistent.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/execution/watchdog.hpp"
#include "runtime/xmpio/agreement.hpp"
#include "runtime/xmpio/master_streams.hpp"

namespace kumihimo::xmpio {

namespace {

using execution::Context;
using execution::NodeSetPointer;

constexpr std::size_t buffer_bytes = 1 << 16;  // each time that one is read is a message to all
const XMP_Site reading = {nullptr, 0, "reading a file under --io=master"};
const XMP_Site closing = {nullptr, 0, "fclose under --io=master"};
const XMP_Site opening = {nullptr, 0, "fopen under --io=master"};
bool chosen = false;  // by the program, from a constructor

struct Stream {
    std::string name;
    NodeSetPointer set;     // that opened it
    base::Descriptor file;  // of the first node
    std::int64_t position = 0, bytes = 0;
    bool regular = false;  // it has positions, and a size
    bool appends = false;
    int error = 0;  // of writing, on the first node

    bool first() const { return set->my_number() == 0; }
};

// What the first node tells the others of a file that it opened, or did not.
struct Opened {
    int error = 0;
    bool regular = false;
    std::int64_t bytes = 0;
};

int flags_of(const char* mode) {
    const bool both = std::strchr(mode, '+') != nullptr;
    const int extra = (std::strchr(mode, 'x') != nullptr ? O_EXCL : 0) | O_CLOEXEC;
    switch (mode[0]) {
        case 'r':
            return extra | (both ? O_RDWR : O_RDONLY);
        case 'w':
            return extra | (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
        case 'a':
            return extra | (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
        default:
            return -1;
    }
}

Opened open_on_first(Stream& stream, const char* path, int flags) {
    stream.file = base::Descriptor(::open(path, flags, 0666));
    struct stat about {};
    if (!stream.file || ::fstat(stream.file.get(), &about) != 0) return {errno, false, 0};
    return {0, S_ISREG(about.st_mode), about.st_size};
}

// The executing set must be the one that opened it: others would wait for ever, or not know.
bool together(const Stream& stream) {
    if (Context::get().running() && Context::get().executing() == stream.set) return true;
    report("--io=master",
           {-1, fmt::format("'{}' was opened by {}, and is read or closed by others", stream.name,
                            base::counted(stream.set->size(), "node"))},
           true);
    errno = EIO;
    return false;
}

ssize_t read_on_first(Stream& stream, char* buffer, std::size_t bytes) {
    const int file = stream.file.get();
    return base::persistent(
        [&] { return stream.regular ? ::pread(file, buffer, bytes, stream.position) : ::read(file, buffer, bytes); });
}

ssize_t read(void* cookie, char* buffer, std::size_t bytes) {
    Stream& stream = *static_cast<Stream*>(cookie);
    if (!together(stream)) return -1;
    const execution::Visit visit(&reading);
    const auto comm = Communicator::of(stream.set->communicator());
    std::string data;
    std::int64_t error = 0;
    if (stream.first()) {
        const ssize_t got = read_on_first(stream, buffer, bytes);
        if (got < 0) error = errno;
        if (got > 0) data.assign(buffer, static_cast<std::size_t>(got));
    }
    share(*comm, error);
    if (error != 0) {
        errno = static_cast<int>(error);
        return -1;
    }
    share(*comm, data);
    std::memcpy(buffer, data.data(), data.size());
    stream.position += static_cast<std::int64_t>(data.size());
    return static_cast<ssize_t>(data.size());
}

// All of it, at a position or, below 0, wherever the file stands; errno.
int write_all(int file, const char* data, std::size_t bytes, std::int64_t at) {
    for (std::size_t written = 0; written < bytes;) {
        const char* const rest = data + written;
        const std::int64_t here = at + static_cast<std::int64_t>(written);
        const ssize_t count = base::persistent(
            [&] { return at < 0 ? ::write(file, rest, bytes - written) : ::pwrite(file, rest, bytes - written, here); });
        if (count < 0) return errno;
        written += static_cast<std::size_t>(count);
    }
    return 0;
}

void write_on_first(Stream& stream, const char* data, std::size_t bytes) {
    if (stream.error != 0) return;
    const std::int64_t at = stream.regular && !stream.appends ? stream.position : -1;
    stream.error = write_all(stream.file.get(), data, bytes, at);
    if (stream.error == 0) return;
    report("--io=master", {-1, fmt::format("cannot write '{}': {}", stream.name, std::strerror(stream.error))}, true);
}

// Alike on all nodes; what failed is told at once, and by fclose.
ssize_t write(void* cookie, const char* data, std::size_t bytes) {
    Stream& stream = *static_cast<Stream*>(cookie);
    if (stream.appends) stream.position = stream.bytes;
    if (stream.first()) write_on_first(stream, data, bytes);
    stream.position += static_cast<std::int64_t>(bytes);
    stream.bytes = std::max(stream.bytes, stream.position);
    return static_cast<ssize_t>(bytes);
}

int seek(void* cookie, off64_t* offset, int whence) {
    Stream& stream = *static_cast<Stream*>(cookie);
    if (!stream.regular) {
        errno = ESPIPE;
        return -1;
    }
    const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream.position : stream.bytes;
    if (from + *offset < 0) {
        errno = EINVAL;
        return -1;
    }
    *offset = stream.position = from + *offset;
    return 0;
}

int close(void* cookie) {
    const std::unique_ptr<Stream> stream(static_cast<Stream*>(cookie));
    std::int64_t error = stream->error;
    if (stream->first() && ::close(stream->file.release()) != 0 && error == 0) error = errno;
    if (!Context::get().running()) return 0;
    if (!together(*stream)) return -1;
    const execution::Visit visit(&closing);
    share(*Communicator::of(stream->set->communicator()), error);
    errno = static_cast<int>(error);
    return error == 0 ? 0 : -1;
}

// ---- standard input and output ----

// The text of the first of the nodes that execute, line by line; in a task that is its first node. After the end of the program
// it is the first of all, which has a cookie.
ssize_t write_output(void* first_of_all, const char* data, std::size_t bytes) {
    const Context& context = Context::get();
    const bool mine = context.running() ? context.executing()->my_number() == 0 : first_of_all != nullptr;
    errno = mine ? write_all(STDOUT_FILENO, data, bytes, -1) : 0;
    return errno == 0 ? static_cast<ssize_t>(bytes) : 0;
}

void replace_output() {
    std::fflush(stdout);
    FILE* const first_of_all = Context::get().world_rank() == 0 ? stdout : nullptr;
    FILE* const output = ::fopencookie(first_of_all, "w", {nullptr, write_output, nullptr, nullptr});
    if (output == nullptr) return;
    std::setvbuf(output, nullptr, _IOLBF, BUFSIZ);
    stdout = output;
}

void replace_input() {
    auto stream = std::make_unique<Stream>();
    stream->name = "standard input";
    stream->set = Context::get().executing();
    if (stream->first()) stream->file = base::Descriptor(::dup(STDIN_FILENO));
    FILE* const input = ::fopencookie(stream.get(), "r", {read, nullptr, nullptr, nullptr});
    if (input == nullptr) return;
    (void)stream.release();
    stdin = input;
}

FILE* open_collectively(const char* path, const char* mode, int flags) {
    auto stream = std::make_unique<Stream>();
    stream->name = path;
    stream->set = Context::get().executing();
    stream->appends = (flags & O_APPEND) != 0;
    const execution::Visit visit(&opening);
    const auto comm = Communicator::of(stream->set->communicator());
    const Opened opened = stream->first() ? open_on_first(*stream, path, flags) : Opened{};
    std::int64_t error = opened.error, bytes = opened.bytes, regular = opened.regular;
    for (std::int64_t* number : {&error, &bytes, &regular}) share(*comm, *number);
    stream->bytes = bytes;
    stream->regular = regular != 0;
    const std::string plain{mode[0], std::strchr(mode, '+') != nullptr ? '+' : '\0'};  // what fopencookie knows
    FILE* const file = error == 0 ? ::fopencookie(stream.get(), plain.c_str(), {read, write, seek, close}) : nullptr;
    if (file == nullptr) {
        if (error != 0) errno = static_cast<int>(error);
        return nullptr;
    }
    (void)stream.release();
    std::setvbuf(file, nullptr, _IOFBF, buffer_bytes);
    return file;
}

}  // namespace

void start_master_streams() {
    if (!chosen) return;
    replace_output();
    replace_input();
}

}  // namespace kumihimo::xmpio

void XMP_Choose_master_streams(void) {
    kumihimo::xmpio::chosen = true;
}

FILE* XMP_Master_fopen(const char* path, const char* mode) {
    const auto& context = kumihimo::execution::Context::get();
    const int flags = kumihimo::xmpio::flags_of(mode);
    if (flags < 0 || !context.running() || !context.may_communicate()) return std::fopen(path, mode);
    return kumihimo::xmpio::open_collectively(path, mode, flags);
}
