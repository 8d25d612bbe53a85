#include "mpiio/engine/direct/model.hpp"

#include <algorithm>
#include <cmath>

#include "base/persistent.hpp"

namespace kumihimo::mpiio::direct {

namespace {

constexpr Cost local_write = {4e-6, 0.35e-9}, local_read = {1.5e-6, 0.15e-9};
constexpr Cost network_write = {800e-6, 4e-9}, network_read = {400e-6, 3e-9};
constexpr Index page = 4096, stripe = Index{1} << 20;
// Long writes let the page cache take large blocks of memory, which a virtual machine must first get back from its host: 4 MiB
// then take 10 ms instead of 1. Short writes, as the program's own were, use what is there.
constexpr Index short_write = 64 << 10, longest_write = base::most_bytes_of_a_call;

struct KnownSystem {
    long magic;
    FileSystem system;
};
// Magic numbers of statfs(2).
constexpr KnownSystem known_systems[] = {
    {0xEF53, {"ext4", false, local_write, local_read, short_write, page}},
    {0x58465342, {"xfs", false, local_write, local_read, short_write, page}},
    {0x9123683E, {"btrfs", false, local_write, local_read, short_write, page}},
    {0x01021994, {"tmpfs", false, {1e-6, 0.25e-9}, {0.7e-6, 0.12e-9}, short_write, page}},
    {0x794c7630, {"overlay", false, local_write, local_read, short_write, page}},
    {0x2FC12FC1, {"zfs", false, local_write, local_read, short_write, page}},
    {0x6969, {"nfs", true, network_write, network_read, longest_write, stripe}},
    {0x65735546, {"fuse", true, network_write, network_read, longest_write, stripe}},
    {0x0BD00BD0, {"lustre", true, network_write, network_read, longest_write, stripe}},
    {0x47504653, {"gpfs", true, network_write, network_read, longest_write, stripe}},
    {0x00C36400, {"ceph", true, network_write, network_read, longest_write, stripe}},
    {0xFF534D42, {"cifs", true, network_write, network_read, longest_write, stripe}},
    {0xFE534D42, {"smb2", true, network_write, network_read, longest_write, stripe}},
};
constexpr FileSystem unknown = {"unknown", true, network_write, network_read, longest_write, stripe};

constexpr double message_s = 20e-6;     // of a message and the waits around it, where ranks share processors
constexpr double packing_s = 0.6e-9;    // of a byte that is packed, sent and unpacked
constexpr double notice_s = 2e-6;       // of a word to all through shared memory
constexpr double unpacking_s = 0.3e-9;  // of a byte that is copied to its place
constexpr double sending_s = 0.3e-9;    // of a byte in a long piece, which goes from where it is
constexpr double block_s = 10e-9;       // of a piece that is copied
constexpr double long_writes = 0.6;  // of a byte's cost on a local file system, where an aggregator writes long pieces at once
constexpr double margin = 0.9;       // what is more complicated must be cheaper by this

}  // namespace

const FileSystem& file_system(long magic) {
    const auto found = std::find_if(std::begin(known_systems), std::end(known_systems),
                                    [&](const KnownSystem& entry) { return entry.magic == magic; });
    return found == std::end(known_systems) ? unknown : found->system;
}

// What a rank needs alone: one operation for each piece, or for reads a row with the gaps between them.
static double alone_seconds(const Summary& rank, const Cost& cost, bool reads, Index read_buffer_bytes) {
    const double pieces = cost.of(static_cast<double>(rank.pieces), static_cast<double>(rank.bytes));
    if (!reads) return pieces;
    const double span = static_cast<double>(rank.end - rank.begin);
    return std::min(pieces, cost.of(span / static_cast<double>(read_buffer_bytes) + 1, span));
}

Load load_of(std::span<const Summary> ranks, bool reads, Index read_buffer_bytes) {
    Load load;
    load.reads = reads;
    load.in_shared_memory = std::all_of(ranks.begin(), ranks.end(), [](const Summary& rank) { return rank.in_shared_memory; });
    for (const Summary& rank : ranks) {
        const Cost& cost = reads ? rank.read : rank.write;
        load.cost.operation_s += cost.operation_s / static_cast<double>(ranks.size());
        load.cost.byte_s += cost.byte_s / static_cast<double>(ranks.size());
        load.most_logged = std::max(load.most_logged, rank.logged);
        if (rank.begin == rank.end) continue;
        load.begin = load.busy == 0 ? rank.begin : std::min(load.begin, rank.begin);
        load.end = std::max(load.end, rank.end);
        load.bytes += rank.bytes;
        load.pieces += rank.pieces;
        load.most_bytes = std::max(load.most_bytes, rank.bytes);
        ++load.busy;
    }
    for (const Summary& rank : ranks) {
        const double seconds = rank.bytes > 0 ? alone_seconds(rank, load.cost, reads, read_buffer_bytes) : 0;
        load.plain_s += seconds;
        load.longest_plain_s = std::max(load.longest_plain_s, seconds);
    }
    return load;
}

// One for each rank that has a processor, since what an aggregator does besides writing is work; not more than there are
// stretches worth an operation. What the program wishes is done.
int aggregators(const Load& load, const Situation& situation) {
    if (situation.aggregators > 0) return static_cast<int>(std::min<Index>(situation.aggregators, situation.ranks));
    const Index least = situation.network ? stripe : Index{64} << 10;
    const Index useful = std::max<Index>(1, (load.end - load.begin) / least);
    return static_cast<int>(std::min<Index>(std::min(situation.ranks, situation.processors), useful));
}

// Local file systems run on the ranks' processors, and let one rank at a time write to a file (the inode's lock in Linux); the
// servers of others serve ranks side by side.
static double side_by_side(const Load& load, const Situation& situation, int ranks) {
    if (situation.network) return std::max(1, ranks);
    return load.reads ? std::max(1, std::min(ranks, situation.processors)) : 1;
}

double plain_seconds(const Load& load, const Situation& situation) {
    return std::max(load.longest_plain_s, load.plain_s / side_by_side(load, situation, load.busy));
}

double two_phase_seconds(const Load& load, const Situation& situation) {
    const int writers = aggregators(load, situation);
    const double span = static_cast<double>(load.end - load.begin), bytes = static_cast<double>(load.bytes);
    const double rounds = span / static_cast<double>(writers) / static_cast<double>(situation.buffer_bytes) + 1;
    // Where the ranks' pieces leave holes, the aggregators' pieces are theirs.
    const double holes = load.density() >= 1 ? 0 : (1 - load.density()) * static_cast<double>(load.pieces);
    const bool long_pieces = load.bytes >= page * load.pieces;
    const double cheaper_bytes = long_pieces && !load.reads && !situation.network && !load.in_shared_memory ? long_writes : 1;
    const double file = load.cost.of(rounds * writers + holes, bytes * cheaper_bytes) / side_by_side(load, situation, writers);
    const double sent = load.in_shared_memory ? (long_pieces ? 0 : unpacking_s) : (long_pieces ? sending_s : packing_s);
    const double copying = (bytes * sent + static_cast<double>(load.pieces) * 2 * block_s) /
                           std::max(1, std::min(situation.ranks, situation.processors));
    const double messages =
        load.in_shared_memory ? 2 * notice_s : message_s * (4 + rounds * std::min<double>(load.busy, situation.ranks));
    return (file + copying + messages) * situation.correction;
}

double corrected(double correction, double estimate_s, double observed_s) {
    constexpr double fading = 0.98, least = 0.25, most = 64;
    if (estimate_s <= 0) return 1 + (correction - 1) * fading;
    return std::clamp(correction * std::sqrt(observed_s / estimate_s), least, most);
}

Strategy cheaper(const Load& load, const Situation& situation) {
    if (load.empty() || situation.ranks == 1) return Strategy::independent;
    return two_phase_seconds(load, situation) < margin * plain_seconds(load, situation) ? Strategy::two_phase
                                                                                        : Strategy::independent;
}

}  // namespace kumihimo::mpiio::direct
