#include "base/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::base {

namespace {

// Plain data: settings are read until the very end of a process, after destructors have run.
constexpr Setting table[] = {
    {"KUMIHIMO_LOG", "0", "What the runtime tells on standard error: 0 nothing, 1 start and stop, 2 also allocations."},
    {"KUMIHIMO_SHM", "auto",
     "How nodes on one machine see each other's arrays: auto, memfd (anonymous files), posix (/dev/shm), off (messages only)."},
    {"KUMIHIMO_NODES_PER_MACHINE", "0",
     "For tests: treat this many nodes as one machine, whatever they could share; 0: as found."},
    {"KUMIHIMO_HUGE_PAGES", "1", "Ask the kernel for huge pages behind arrays of 4 MiB and more: 1 or 0."},
    {"KUMIHIMO_SEGMENT_CACHE", "256M",
     "Freed array memory that each node keeps for the next allocation of the same size, in bytes."},
    {"KUMIHIMO_SPIN", "auto",
     "Polls before a waiting node gives its processor away; auto: 0 where nodes outnumber processors, else 2000."},
    {"KUMIHIMO_REFLECT_PACKED", "1k",
     "Largest contiguous halo, in bytes, that reflect passes to a node of this machine through a buffer; larger ones are read "
     "from the array. 0: no buffers at all."},
    {"KUMIHIMO_TRANSPORT", "mpi",
     "How coarrays reach images without a common memory: mpi, or another name that `kumihimo info` lists as transport."},
    {"KUMIHIMO_FAULTY_TRANSPORT", "mpi",
     "For tests, what the transport faulty does: the transport that does the work, then any of fail=N, kill=N (at this image's "
     "call N or one of A-B), delay=MICROSECONDS, node=K (only there), seed=S."},
    {"KUMIHIMO_GASNET_SEGMENT", "256M", "Memory on each node for the coarrays that the transports gasnet-... reach, in bytes."},
    {"KUMIHIMO_TIMEOUT", "0",
     "Seconds that a node waits for others in a collective file operation; those that do not come within twice this time are "
     "named and the job "
     "ends. 0: wait for ever."},
    {"KUMIHIMO_EXIT_WAIT", "2000",
     "Milliseconds that a node which ends with an error status waits for the others to do the same."},
    {"KUMIHIMO_TERMINAL", "0",
     "1: what the program writes on standard error is read on a terminal, so it may draw progress bars; xmprun sets it."},
    {"KUMIHIMO_IO", "",
     "Which files of MPI-IO are served by which engine where libkumihimo_io is linked or preloaded: PATTERN=ENGINE, separated "
     "by "
     "commas, the first that matches counts; for instance *.nc=kumihimo,/scratch/**=off."},
    {"KUMIHIMO_IO_ADVISE", "0",
     "1: files that KUMIHIMO_IO chooses stay with the MPI library, and KUMIHIMO_IO_REPORT tells what the engine would gain "
     "(`kumihimo files advise` sets it)."},
    {"KUMIHIMO_IO_MESSAGES", "1",
     "Print one line when a function of XMP-IO or xmpnc fails: 1 or 0 (it returns an error in any case)."},
    {"KUMIHIMO_IO_BUFFER", "4M",
     "Bytes that a node collects from the others before it writes them to a file, and reads for them at once."},
    {"KUMIHIMO_IO_RUN", "256k",
     "Mean length of a node's pieces in a file from which it writes and reads them itself, in bytes."},
    {"KUMIHIMO_IO_REPORT", "0",
     "What libkumihimo_io tells about each file it served, when it is closed: 1 or - prints text on standard error, a file "
     "name "
     "appends a line of JSON to it, 0 nothing."},
    {"KUMIHIMO_IOD", "",
     "The program kumihimo-iod, the I/O process of the engine catwalk, or thread: a thread of the first rank of each node does "
     "its "
     "work. Empty: found beside libkumihimo_io, else in PATH."},
    {"KUMIHIMO_IOD_LOG", "", "File to which I/O processes append what goes wrong in them; empty: nowhere."},
    {"KUMIHIMO_FAULTY_IO", "direct",
     "For tests, what the file engine faulty does: the engine that does the work, then any of fail=N, short=N, kill=N (at this "
     "rank's call N or one of A-B), delay=MICROSECONDS, rank=R (only there), seed=S."},
    {"KUMIHIMO_IO_WRITE_BEHIND", "4M",
     "libkumihimo_io: bytes of small writes to a file that a rank keeps until it has enough for a large one, or a sync; off."},
    {"KUMIHIMO_IO_COLLECTIVE", "automatic",
     "libkumihimo_io, how collective transfers are done: automatic (what is estimated to be the fastest), independent, "
     "deferred "
     "(writes wait for each other), two_phase (through aggregators)."},
    {"KUMIHIMO_IO_NODES", "1", "For tests, engine catwalk: treat the ranks of one machine as so many nodes."},
    {"KUMIHIMO_CATWALK_METHOD", "automatic",
     "Engine catwalk, what I/O processes do with records: automatic, immediate (pass them on), sort (in memory; what does not "
     "fit passes on), journal (what does not fit goes to a local file until sync or close)."},
    {"KUMIHIMO_CATWALK_TOPOLOGY", "ring", "Engine catwalk, how nodes pass on records to a server: ring, tree or star."},
    {"KUMIHIMO_CATWALK_MERGE", "true", "Engine catwalk: whether adjacent records become one: true or false."},
    {"KUMIHIMO_CATWALK_DURABLE", "true",
     "Engine catwalk: whether close and sync wait until the device has the data: true or false."},
    {"KUMIHIMO_CATWALK_SERVERS", "1", "Engine catwalk: nodes that write to the file, each a part of it."},
    {"KUMIHIMO_CATWALK_DATA_MAX", "32k", "Engine catwalk: largest record, in bytes."},
    {"KUMIHIMO_CATWALK_SORT_BUFFER", "64M", "Engine catwalk: memory of each node for records of a file, in bytes."},
    {"KUMIHIMO_CATWALK_STRIPE", "64M",
     "Engine catwalk with several servers: bytes of the file that belong to one server at a time."},
    {"KUMIHIMO_CATWALK_JOURNAL", "",
     "Engine catwalk: directory of each node for records that do not fit the sort buffer (method journal) and for what was "
     "read; else TMPDIR or /tmp."},
    {"KUMIHIMO_CATWALK_RING", "1M", "Engine catwalk: memory between each rank and the I/O process of its node, in bytes."},
    {"KUMIHIMO_COLL_TUNE", "",
     "libkumihimo_coll: algorithms of collective operations, OPERATION:SIZES:RANKS:@ALGORITHM, separated by commas (a shape "
     "like 8x6x8 may stand for the ranks); for instance "
     "bcast:64k-inf:@tree3,allreduce:0-2k:4-16:@recursive_doubling (`kumihimo info --collectives` lists them)."},
    {"KUMIHIMO_COLL_TABLE", "auto",
     "libkumihimo_coll: a file of such rules, with scores, that all nodes can read (kumihimo-coll-tune writes it); auto: what "
     "is "
     "known to be faster than the MPI library where all ranks share memory; none: no rules but those of KUMIHIMO_COLL_TUNE."},
    {"KUMIHIMO_COLL_ONE_COPY", "5k",
     "libkumihimo_coll: length in bytes from which on messages inside a machine are read from where they lie, where that is "
     "permitted; shorter ones are copied through shared memory."},
    {"KUMIHIMO_COLL_SHAPE", "",
     "libkumihimo_coll: the network's shape, first axis fastest, for communicators of as many ranks: 8x6x8, m for an axis that "
     "does not close to a ring (8x6mx8). Empty: a ring of all ranks."},
    {"KUMIHIMO_COLL_SEGMENT", "16k", "libkumihimo_coll: bytes of a segment of pipelined collective operations."},
    {"KUMIHIMO_COLL_WORK", "6M",
     "libkumihimo_coll: most work space, in bytes, that a rank takes for each communicator; algorithms that need more take "
     "smaller "
     "pieces or are not used."},
    {"KUMIHIMO_COLL_AHEAD", "64",
     "libkumihimo_coll: steps that a rank looks ahead in a collective operation's schedule, at least 16; pipelines that need "
     "more take more."},
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

}  // namespace

bool setting_is_set(const std::string& name) {
    const char* const value = std::getenv(find(name).name);
    return value != nullptr && *value != '\0';
}

std::string setting(const std::string& name) {
    const Setting& entry = find(name);
    return setting_is_set(name) ? std::getenv(entry.name) : entry.default_value;
}

bool setting_flag(const std::string& name) {
    const std::string value = setting(name);
    if (value == "1" || value == "on" || value == "yes" || value == "true") return true;
    if (value == "0" || value == "off" || value == "no" || value == "false") return false;
    throw Error(fmt::format("setting {}={} is neither yes nor no", name, value), "Give 1 or 0.");
}

long long setting_number(const std::string& name) {
    const std::string value = setting(name);
    char* rest = nullptr;
    errno = 0;
    const long long number = std::strtoll(value.c_str(), &rest, 10);
    const std::string suffix = rest;
    const int shift = suffix.empty() ? 0 : suffix == "k" || suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
    if (rest == value.c_str() || shift < 0 || errno != 0 || number < 0 || number > (1LL << 62 >> shift))
        throw Error(fmt::format("setting {}={} is not a number", name, value),
                    "Give digits, with k, M or G after them if you like.");
    return number << shift;
}

std::string settings_json() {
    std::string text = "[";
    for (const Setting& entry : settings()) {
        if (text.size() > 1) text += ",";
        text += fmt::format("\n  {{\"name\": {}, \"value\": {}, \"default\": {}, \"source\": \"{}\", \"help\": {}}}",
                            json_string(entry.name), json_string(setting(entry.name)), json_string(entry.default_value),
                            setting_is_set(entry.name) ? "environment" : "default", json_string(entry.help));
    }
    return text + "\n]";
}

}  // namespace kumihimo::base
