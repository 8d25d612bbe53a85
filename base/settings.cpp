#include "base/settings.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/format.hpp"

namespace kumihimo::base {

namespace {

constexpr long long kibi = 1 << 10, mebi = 1 << 20, gibi = 1 << 30, tebi = gibi << 10, million = 1000000, year = 31536000;
constexpr unsigned all_libraries = runtime | files | collectives;

constexpr Values flag = {Values::flag}, text = {Values::text}, directory = {Values::directory};
constexpr Values number(long long least, long long most, const char* words = "") {
    return {Values::number, least, most, words};
}
constexpr Values bytes(long long least, long long most, const char* words = "") {
    return {Values::bytes, least, most, words};
}
constexpr Values word(const char* words) {
    return {Values::word, 0, 0, words};
}
constexpr Values file(const char* words = "") {
    return {Values::file, 0, 0, words};
}

// Plain data: settings are read until the very end of a process, after destructors have run.
constexpr Setting table[] = {
    {"KUMIHIMO_LOG", "warning",
     "What the runtime tells on standard error besides errors and warnings: error or warning (0) nothing, info (1) start and end, "
     "with how many communicators and shared segments the program made, debug (2) also allocations.",
     number(0, 2, "error warning info debug"), Concerns::rank, all_libraries},
    {"KUMIHIMO_SHM", "auto",
     "How nodes on one machine see each other's arrays: auto, memfd (anonymous files), posix (/dev/shm), off (messages only).",
     word("auto memfd posix off"), Concerns::rank, all_libraries},
    {"KUMIHIMO_NODES_PER_MACHINE", "0",
     "For tests: treat this many nodes as one machine, whatever they could share; 0: as found.", number(0, million),
     Concerns::job, all_libraries, Audience::experts},
    {"KUMIHIMO_HUGE_PAGES", "1", "Ask the kernel for huge pages behind arrays of 4 MiB and more: 1 or 0.", flag, Concerns::rank,
     runtime, Audience::experts},
    {"KUMIHIMO_SEGMENT_CACHE", "256M",
     "Freed array memory that each node keeps for the next allocation of the same size, in bytes.", bytes(0, tebi),
     Concerns::rank, runtime, Audience::experts},
    {"KUMIHIMO_SPIN", "auto",
     "Polls before a waiting node gives its processor away; auto: 0 where nodes outnumber processors, else 2000.",
     number(0, 1000 * million, "auto"), Concerns::rank, all_libraries, Audience::experts},
    {"KUMIHIMO_REFLECT_PACKED", "1k",
     "Largest contiguous halo, in bytes, that reflect passes to a node of this machine through a buffer; larger ones are read "
     "from the array. 0: no buffers at all.",
     bytes(0, gibi), Concerns::job, runtime, Audience::experts},
    {"KUMIHIMO_GMOVE_BUFFER", "32M",
     "Memory for the messages of one gmove on each node, in bytes: what is larger goes in pieces. Overlapping sides take what they "
     "need.",
     bytes(4 * kibi, tebi), Concerns::job, runtime, Audience::experts},
    {"KUMIHIMO_TRANSPORT", "auto",
     "How coarrays reach images without a common memory: auto (messages between machines, mpi on one), or a name that `kumihimo "
     "info` lists as transport.",
     text, Concerns::job, runtime},
    {"KUMIHIMO_PROGRESS_THREAD", "auto",
     "A thread that answers other images of coarrays while this one computes: auto (between machines), on or off. It needs "
     "MPI_THREAD_MULTIPLE.",
     word("auto on off"), Concerns::job, runtime},
    {"KUMIHIMO_FAULTY_TRANSPORT", "mpi",
     "For tests, what the transport faulty does: the transport that does the work, then any of fail=N, kill=N (at this image's "
     "call N or one of A-B), delay=MICROSECONDS, node=K (only there), seed=S.",
     text, Concerns::job, runtime, Audience::experts},
    {"KUMIHIMO_GASNET_SEGMENT", "256M", "Memory on each node for the coarrays that the transports gasnet-... reach, in bytes.",
     bytes(64 * kibi, tebi), Concerns::job, runtime},
    {"KUMIHIMO_TIMEOUT", "0",
     "Seconds that a node waits for others in a directive or a function of the library; then a table tells where every node is, "
     "and the job ends. In collective file operations of MPI, those that do not come within twice this time are named. 0: wait "
     "for ever.",
     number(0, year), Concerns::job, all_libraries},
    {"KUMIHIMO_EXIT_WAIT", "2000",
     "Milliseconds that a node which ends with an error status waits for the others to do the same.", number(0, 1000 * year),
     Concerns::rank, runtime, Audience::experts},
    {"KUMIHIMO_TERMINAL", "0",
     "1: what the program writes on standard error is read on a terminal, so it may draw progress bars; xmprun sets it.", flag,
     Concerns::rank, runtime, Audience::experts},
    {"KUMIHIMO_IO", "",
     "Which files are served by which engine: PATTERN=ENGINE, separated by commas, the first that matches counts, or one ENGINE "
     "for all; for instance *.nc=kumihimo,/scratch/**=off. off or mpi: the MPI library. Concerns XMP-IO, and MPI-IO where "
     "libkumihimo_io is linked or preloaded; XMP-IO's other files go to the engine direct.",
     text, Concerns::job, files},
    {"KUMIHIMO_IO_ADVISE", "0",
     "1: files that KUMIHIMO_IO chooses stay with the MPI library, and KUMIHIMO_IO_REPORT tells what the engine would gain "
     "(`kumihimo files advise` sets it).",
     flag, Concerns::job, files, Audience::experts},
    {"KUMIHIMO_IO_COMMAND", "",
     "The command line that advice repeats when it says what to run next (`kumihimo files advise` sets it).", text,
     Concerns::job, files, Audience::experts},
    {"KUMIHIMO_XMPIO_MESSAGES", "1",
     "Print one line when a function of XMP-IO or xmpnc fails: 1 or 0 (it returns an error in any case).", flag, Concerns::rank,
     runtime | files},
    {"KUMIHIMO_XMPIO_SIDECAR", "0",
     "1: beside every file that XMP-IO writes stands a description of its arrays in JSON, FILE.json.", flag, Concerns::job,
     runtime},
    {"KUMIHIMO_XMPIO_CHECKPOINTS", "2", "How many files of a checkpoint are kept: the newest ones.", number(1, million),
     Concerns::job, runtime},
    {"KUMIHIMO_XMPIO_HINTS", "",
     "Hints that XMP-IO gives for each file that it opens, as an MPI_Info has them: KEY=VALUE, separated by commas, for instance "
     "striping_factor=8,cb_nodes=2.",
     text, Concerns::job, runtime},
    {"KUMIHIMO_IO_REPORT", "0",
     "What is told about each file of XMP-IO, and of MPI-IO where libkumihimo_io served it, when it is closed: 1 or - prints "
     "text on standard error, a file name appends a line of JSON to it, 0 nothing.",
     file("0 1 -"), Concerns::job, files},
    {"KUMIHIMO_IOD", "",
     "The program kumihimo-iod, the I/O process of the engine catwalk, or thread: a thread of the first rank of each host does "
     "its work. Empty: found beside libkumihimo_io, else in PATH.",
     text, Concerns::rank, files},
    {"KUMIHIMO_IOD_LOG", "", "File to which I/O processes append what goes wrong in them; empty: nowhere.", file(),
     Concerns::rank, files, Audience::experts},
    {"KUMIHIMO_FAULTY_IO", "direct",
     "For tests, what the file engine faulty does: the engine that does the work, then any of fail=N, short=N, kill=N (at this "
     "rank's call N or one of A-B), delay=MICROSECONDS, rank=R (only there), seed=S.",
     text, Concerns::job, files, Audience::experts},
    {"KUMIHIMO_IO_WRITE_BEHIND", "4M",
     "libkumihimo_io: bytes of small writes to a file that a rank keeps until it has enough for a large one, or a sync; off.",
     bytes(0, gibi, "off"), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_IO_COLLECTIVE", "automatic",
     "libkumihimo_io, how collective transfers are done: automatic (what is estimated to be the fastest), independent, "
     "deferred (writes wait for each other), two_phase (through aggregators).",
     word("automatic independent deferred two_phase"), Concerns::job, files},
    {"KUMIHIMO_CATWALK_HOSTS", "1", "For tests, engine catwalk: treat the ranks of one machine as so many hosts.",
     number(1, million), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_CATWALK_METHOD", "automatic",
     "Engine catwalk, what I/O processes do with records: automatic, immediate (pass them on), sort (in memory; what does not "
     "fit passes on), journal (what does not fit goes to a local file until sync or close).",
     word("automatic immediate sort journal"), Concerns::job, files},
    {"KUMIHIMO_CATWALK_TOPOLOGY", "ring", "Engine catwalk, how hosts pass on records to a server: ring, tree or star.",
     word("ring tree star"), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_CATWALK_MERGE", "true", "Engine catwalk: whether adjacent records become one: true or false.", flag,
     Concerns::job, files, Audience::experts},
    {"KUMIHIMO_CATWALK_DURABLE", "true",
     "Engine catwalk: whether close and sync wait until the device has the data: true or false.", flag, Concerns::job, files},
    {"KUMIHIMO_CATWALK_SERVERS", "1", "Engine catwalk: hosts that write to the file, each a part of it.", number(1, 4096),
     Concerns::job, files},
    {"KUMIHIMO_CATWALK_DATA_MAX", "32k", "Engine catwalk: largest record, in bytes.", bytes(512, 2 * mebi), Concerns::job,
     files, Audience::experts},
    {"KUMIHIMO_CATWALK_SORT_BUFFER", "64M", "Engine catwalk: memory of each host for records of a file, in bytes.",
     bytes(2 * mebi, tebi), Concerns::job, files},
    {"KUMIHIMO_CATWALK_STRIPE", "64M",
     "Engine catwalk with several servers: bytes of the file that belong to one server at a time.", bytes(4 * kibi, tebi),
     Concerns::job, files, Audience::experts},
    {"KUMIHIMO_CATWALK_JOURNAL", "",
     "Engine catwalk: directory of each host for records that do not fit the sort buffer (method journal) and for what was "
     "read; else TMPDIR or /tmp.",
     directory, Concerns::job, files},
    {"KUMIHIMO_CATWALK_RING", "1M", "Engine catwalk: memory between each rank and the I/O process of its host, in bytes.",
     bytes(16 * kibi, gibi), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_CATWALK_DIRECT_FROM", "256k",
     "Engine catwalk, method automatic: length in bytes from which on the ranks themselves write pieces of a local file, past "
     "the I/O process.",
     bytes(1, 4096 * tebi), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_STAMPI_SSH", "ssh",
     "Engine stampi (names as stampi://HOST/PATH): the program that reaches the other machine, with its own arguments separated "
     "by blanks, for instance ssh -F FILE.",
     text, Concerns::job, files},
    {"KUMIHIMO_STAMPI_IOD", "kumihimo-iod", "Engine stampi: the program kumihimo-iod on the other machine.", text,
     Concerns::job, files},
    {"KUMIHIMO_STAMPI_REMOTE_IO",
     "posix",
     "Engine stampi: how the other machine stores files: posix: by calls of its operating system; mpi: as an MPI program, by its "
     "MPI-IO; catwalk: the same by Catwalk.",
     {Values::word, 0, 0, "posix mpi catwalk"},
     Concerns::job,
     files},
    {"KUMIHIMO_STAMPI_MPI", "kumihimo-iod-mpi",
     "Engine stampi, with remote_io mpi or catwalk: what starts kumihimo-iod-mpi on the other machine, for instance mpiexec -n 1 "
     "/opt/kumihimo/lib/kumihimo/openmpi/kumihimo-iod-mpi.",
     text, Concerns::job, files},
    {"KUMIHIMO_STAMPI_COMMAND", "",
     "Engine stampi: instead of ssh, a command whose standard input and output are kumihimo-iod --stdio; its arguments separated "
     "by blanks.",
     text, Concerns::job, files, Audience::experts},
    {"KUMIHIMO_STAMPI_ROUTERS", "",
     "Engine stampi: gateways of which each leads to the other machine, [user@]host[:port], separated by blanks; all are used. Those "
     "of one way, the first one first, are separated by commas.",
     text, Concerns::job, files},
    {"KUMIHIMO_STAMPI_ROUTER", "",
     "Engine stampi: the program kumihimo-iod on the gateways, which then passes connections on; else ssh's own forwarding does it.",
     text, Concerns::job, files},
    {"KUMIHIMO_STAMPI_PATIENCE", "60",
     "Engine stampi: seconds in which the other machine must have answered when a file is opened.", number(1, year),
     Concerns::job, files},
    {"KUMIHIMO_STAMPI_PROCESSES", "1",
     "Engine stampi: I/O processes on the other machine for all ranks together; at least one for each host of the ranks.",
     number(1, million), Concerns::job, files},
    {"KUMIHIMO_STAMPI_STREAMS", "8",
     "Engine stampi: connections of each I/O process with the other machine, at most. There is one, and more only on a long way "
     "that one cannot fill.",
     number(1, 64), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_STAMPI_CHANNEL", "0",
     "Engine stampi: 1: ssh opens the way, and the bytes go by TCP beside it, with a token that came by ssh; nobody encrypts them. "
     "Where the other machine is not reached by TCP, they go through ssh.",
     flag, Concerns::job, files},
    {"KUMIHIMO_STAMPI_COMPRESSION", "1",
     "Engine stampi: 1: bytes that wait for a slow way are compressed where that pays; 0: never.", flag, Concerns::job, files},
    {"KUMIHIMO_STAMPI_ONE_LOGIN", "1",
     "Engine stampi: 1: the I/O processes of a host share an ssh login to the other machine, up to eight of them (further "
     "connections, which a long way gets, log in themselves); 0: each logs in, and has a processor that encrypts for itself.",
     flag, Concerns::job, files},
    {"KUMIHIMO_STAMPI_WINDOW", "64M",
     "Engine stampi: bytes of each rank that may be on their way to the other machine, or back, at most.",
     bytes(1024 * kibi, gibi), Concerns::job, files, Audience::experts},
    {"KUMIHIMO_COLL_TUNE", "",
     "libkumihimo_coll: algorithms of collective operations, OPERATION:SIZES:RANKS:@ALGORITHM, separated by commas (a shape "
     "like 8x6x8 may stand for the ranks); for instance bcast:64k-inf:@tree3,allreduce:0-2k:4-16:@recursive_doubling "
     "(`kumihimo info --collectives` lists them).",
     text, Concerns::job, runtime | collectives},
    {"KUMIHIMO_COLL_TABLE", "auto",
     "libkumihimo_coll: a file of such rules, with scores, that all nodes can read (kumihimo-coll-tune writes it); auto: what "
     "is known to be faster than the MPI library where all ranks share memory; none: no rules but those of KUMIHIMO_COLL_TUNE.",
     text, Concerns::job, runtime | collectives},
    {"KUMIHIMO_COLL_ONE_COPY", "5k",
     "libkumihimo_coll: length in bytes from which on messages inside a machine are read from where they lie, where that is "
     "permitted; shorter ones are copied through shared memory.",
     bytes(0, tebi), Concerns::job, runtime | collectives, Audience::experts},
    {"KUMIHIMO_COLL_SHAPE", "",
     "libkumihimo_coll: the network's shape, first axis fastest, for communicators of as many ranks: 8x6x8, m for an axis that "
     "does not close to a ring (8x6mx8). Empty: a ring of all ranks.",
     text, Concerns::job, runtime | collectives},
    {"KUMIHIMO_COLL_SEGMENT", "16k", "libkumihimo_coll: bytes of a segment of pipelined collective operations.", bytes(1, gibi),
     Concerns::job, runtime | collectives, Audience::experts},
    {"KUMIHIMO_COLL_WORK", "6M",
     "libkumihimo_coll: most work space, in bytes, that a rank takes for each communicator; algorithms that need more take "
     "smaller pieces or are not used.",
     bytes(0, tebi), Concerns::job, runtime | collectives, Audience::experts},
    {"KUMIHIMO_COLL_AHEAD", "64",
     "libkumihimo_coll: steps that a rank looks ahead in a collective operation's schedule, at least 16; pipelines that need "
     "more take more.",
     number(1, 1 << 16), Concerns::job, runtime | collectives, Audience::experts},
};

}  // namespace

std::span<const Setting> settings() {
    return table;
}

namespace {

const Setting& find(const std::string& name) {
    const auto found =
        std::find_if(std::begin(table), std::end(table), [&](const Setting& entry) { return name == entry.name; });
    if (found == std::end(table)) throw std::logic_error("no such setting: " + name);
    return *found;
}

// What the job has come to, instead of the environment. Replaced as a whole and never freed: other threads read it.
using Taken = std::vector<std::pair<std::string, std::string>>;
std::atomic<const Taken*> taken = nullptr;
std::atomic<unsigned> state = 1;  // of all settings: how often some were taken over

bool is_number(const Setting& setting) {
    return setting.values.kind == Values::number || setting.values.kind == Values::bytes;
}

std::optional<bool> flag_in(std::string_view text) {
    if (text == "1" || text == "on" || text == "yes" || text == "true") return true;
    if (text == "0" || text == "off" || text == "no" || text == "false") return false;
    return std::nullopt;
}

std::string bound_text(const Setting& setting, long long bound) {
    int unit = 0;
    if (setting.values.kind == Values::bytes)
        while (unit < 3 && bound > 0 && bound % kibi == 0) bound /= kibi, ++unit;
    constexpr const char* units[] = {"", "k", "M", "G"};
    return std::to_string(bound) + units[unit];
}

}  // namespace

std::string given(const Setting& setting) {
    if (const Taken* const values = taken.load())
        for (const auto& [name, value] : *values)
            if (name == setting.name) return value;
    const char* const value = std::getenv(setting.name);
    return value == nullptr ? "" : value;
}

void take_over(std::vector<std::pair<std::string, std::string>> values) {
    if (const Taken* const before = taken.load())
        for (const auto& one : *before)
            if (std::none_of(values.begin(), values.end(), [&](const auto& other) { return other.first == one.first; }))
                values.push_back(one);
    taken.store(new Taken(std::move(values)));
    state.fetch_add(1);
}

unsigned settings_state() {
    return state.load(std::memory_order_acquire);
}

bool setting_is_set(const std::string& name) {
    const Setting& entry = find(name);
    const std::string value = given(entry);
    return !value.empty() && accepts(entry, value);
}

std::string setting(const std::string& name) {
    const Setting& entry = find(name);
    std::string value = given(entry);
    return !value.empty() && accepts(entry, value) ? value : entry.default_value;
}

bool setting_flag(const std::string& name) {
    return flag_in(setting(name)).value();
}

long long setting_number(const std::string& name) {
    return number_in(setting(name)).value();
}

long long FrequentNumber::value() {
    const unsigned now = settings_state();
    if (state_.load(std::memory_order_acquire) != now) {
        value_.store(setting_number(name_), std::memory_order_relaxed);
        state_.store(now, std::memory_order_release);
    }
    return value_.load(std::memory_order_relaxed);
}

std::optional<long long> number_in(std::string_view text) {
    long long number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
    const int shift = suffix.empty() ? 0 : suffix == "k" || suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
    if (error != std::errc{} || shift < 0 || number < 0 || number > (1LL << 62 >> shift)) return std::nullopt;
    return number << shift;
}

std::vector<std::string> words_of(const Setting& setting) {
    std::istringstream stream(setting.values.words);
    return {std::istream_iterator<std::string>(stream), {}};
}

bool accepts(const Setting& setting, const std::string& value) {
    const Values& values = setting.values;
    if (values.kind == Values::flag) return flag_in(value).has_value();
    if (!is_number(setting) && values.kind != Values::word) return true;
    const std::vector<std::string> words = words_of(setting);
    if (std::find(words.begin(), words.end(), value) != words.end()) return true;
    const auto number = is_number(setting) ? number_in(value) : std::nullopt;
    return number && *number >= values.least && *number <= values.most;
}

std::string allowed(const Setting& setting) {
    const std::string words = fmt::format("{}", fmt::join(words_of(setting), ", "));
    const std::string or_words = words.empty() ? "" : fmt::format(", or {}", words);
    switch (setting.values.kind) {
        case Values::flag:
            return "1 or 0";
        case Values::word:
            return "one of " + words;
        case Values::file:
            return "a file that can be written" + or_words;
        case Values::directory:
            return "a directory that can be written to";
        case Values::text:
            return "as described";
        default:
            return fmt::format("a number{} from {} to {}{}", setting.values.kind == Values::bytes ? " of bytes" : "",
                               bound_text(setting, setting.values.least), bound_text(setting, setting.values.most), or_words);
    }
}

namespace {

std::string libraries_json(unsigned libraries) {
    constexpr std::pair<Library, const char*> names[] = {{runtime, "runtime"}, {files, "files"}, {collectives, "collectives"}};
    std::string text;
    for (const auto& [library, name] : names)
        if ((libraries & library) != 0) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
    return "[" + text + "]";
}

}  // namespace

std::string settings_json() {
    constexpr const char* kinds[] = {"flag", "number", "bytes", "word", "file", "directory", "text"};
    std::string text = "[";
    for (const Setting& entry : settings()) {
        if (text.size() > 1) text += ",";
        text += fmt::format(
            "\n  {{\"name\": {}, \"value\": {}, \"default\": {}, \"source\": \"{}\", \"kind\": \"{}\", \"allowed\": {}, "
            "\"concerns\": \"{}\", \"expert\": {}, \"libraries\": {}, \"help\": {}}}",
            json_string(entry.name), json_string(setting(entry.name)), json_string(entry.default_value),
            setting_is_set(entry.name) ? "environment" : "default", kinds[entry.values.kind], json_string(allowed(entry)),
            entry.concerns == Concerns::job ? "job" : "rank", entry.audience == Audience::experts,
            libraries_json(entry.libraries), json_string(entry.help));
    }
    return text + "\n]";
}

}  // namespace kumihimo::base
