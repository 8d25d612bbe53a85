#include "collectives/executor/node_messages.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/collective.hpp"
#include "base/hosts.hpp"
#include "base/settings.hpp"
#include "base/shared_room.hpp"

namespace kumihimo::collectives {

namespace {

constexpr int slots = 8;  // of a lane
constexpr std::size_t line = 64;
constexpr std::size_t most_piece_bytes = 8192, least_piece_bytes = 512;
constexpr std::size_t most_segment_bytes = std::size_t{1} << 31;  // of addresses; memory is taken where messages pass
constexpr std::uint64_t token = 0x6b756d6968696d6f;

}  // namespace

// Full when `number` is that of the message part which the receiver expects next.
struct alignas(line) NodeMessages::Slot {
    std::atomic<std::uint64_t> number;
    union {
        std::byte data[line - sizeof(std::uint64_t)];
        const void* address;
    };
};

struct NodeMessages::Lane {
    alignas(line) std::atomic<std::uint64_t> consumed;
    Slot slot[slots];
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// ---- at a communicator's first use ----

std::unique_ptr<NodeMessages> NodeMessages::open(MPI_Comm communicator) {
    const base::Hosts& hosts = base::hosts_of(communicator);
    std::unique_ptr<NodeMessages> messages(new NodeMessages);
    messages->place_.assign(hosts.host_of_rank.size(), -1);
    const auto me = std::find(hosts.ranks_here.begin(), hosts.ranks_here.end(), hosts.my_rank);
    messages->me_ = static_cast<int>(me - hosts.ranks_here.begin());
    messages->lay_out(static_cast<int>(hosts.ranks_here.size()));
    const bool mapped = messages->map(communicator, hosts);
    const bool read = messages->may_read_others(communicator, hosts.ranks_here);
    if (!mapped) return nullptr;
    if (read) messages->one_copy_bytes_ = base::setting_number("KUMIHIMO_COLL_ONE_COPY");
    for (std::size_t i = 0; i < hosts.ranks_here.size(); ++i)
        messages->place_[static_cast<std::size_t>(hosts.ranks_here[i])] = static_cast<int>(i);
    return messages;
}

void NodeMessages::lay_out(int ranks_here) {
    ranks_here_ = ranks_here;
    const std::size_t lanes = static_cast<std::size_t>(ranks_here) * static_cast<std::size_t>(ranks_here) * channels;
    const std::size_t room = most_segment_bytes / lanes / slots / line * line;
    if (room < least_piece_bytes || ranks_here < 2) return;
    piece_bytes_ = std::min(room, most_piece_bytes);
    lane_bytes_ = sizeof(Lane) + slots * piece_bytes_;
    outgoing_.resize(lanes);
    received_.resize(lanes);
}

namespace {

bool all_of(const std::vector<char>& said, const std::vector<int>& ranks) {
    return std::all_of(ranks.begin(), ranks.end(), [&](int rank) { return said[static_cast<std::size_t>(rank)] != 0; });
}

}  // namespace

// All of a machine, or none. Only memory without a name: nothing is left behind whatever happens, and it cannot turn out to be
// full.
bool NodeMessages::map(MPI_Comm communicator, const base::Hosts& hosts) {
    const bool possible = hosts.method == base::SharingMethod::memfd && piece_bytes_ > 0;
    base::SharedRoom room(
        communicator, {possible ? hosts.ranks_here.front() : -1, base::SharingMethod::memfd, outgoing_.size() * lane_bytes_});
    if (!all_of(base::gather_all<char>(communicator, room.is_in()), hosts.ranks_here)) return false;
    memory_ = room.take();
    return true;
}

// Whether every rank can read every other one's memory, tried out: containers and security modules forbid it in many ways.
bool NodeMessages::may_read_others(MPI_Comm communicator, const std::vector<int>& ranks_here) {
    struct Sample {
        int process;
        const void* token;
    };
    const std::vector<Sample> samples = base::gather_all(communicator, Sample{static_cast<int>(getpid()), &token});
    bool can = true;
    for (const int rank : ranks_here) {
        const Sample& sample = samples[static_cast<std::size_t>(rank)];
        std::uint64_t found = 0;
        process_.push_back(sample.process);
        can = can &&
              read_from(static_cast<int>(process_.size()) - 1, sample.token, reinterpret_cast<std::byte*>(&found),
                        sizeof found) &&
              found == token;
    }
    return all_of(base::gather_all<char>(communicator, can), ranks_here);
}

// ---- messages ----

std::size_t NodeMessages::index(int from, int to, int channel) const {
    return (static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_here_) + static_cast<std::size_t>(to)) * channels +
           static_cast<std::size_t>(channel);
}

NodeMessages::Lane& NodeMessages::lane(std::size_t index) const {
    return *reinterpret_cast<Lane*>(memory_.data() + index * lane_bytes_);
}

std::byte* NodeMessages::piece(Lane& lane, std::uint64_t number) const {
    return reinterpret_cast<std::byte*>(&lane + 1) + number % slots * piece_bytes_;
}

bool NodeMessages::has_room(Lane& lane, Outgoing& out) const {
    if (out.sent - out.consumed < slots) return true;
    out.consumed = lane.consumed.load(std::memory_order_acquire);
    return out.sent - out.consumed < slots;
}

bool NodeMessages::send(Transfer& transfer, int peer, int channel, const std::byte* from, Bytes bytes) {
    const std::size_t i = index(me_, place_[static_cast<std::size_t>(peer)], channel);
    Lane& to = lane(i);
    Outgoing& out = outgoing_[i];
    if (transfer.slot != 0) return to.consumed.load(std::memory_order_acquire) >= transfer.slot;
    do {
        if (!has_room(to, out)) return false;
        const std::uint64_t number = out.sent + 1;
        Slot& slot = to.slot[number % slots];
        if (in_one_copy(bytes)) {
            slot.address = from;
            transfer.slot = number;
        } else if (const std::size_t part = std::min(static_cast<std::size_t>(bytes - transfer.done), piece_bytes_); part > 0) {
            std::memcpy(part <= sizeof slot.data ? slot.data : piece(to, number), from + transfer.done, part);
            transfer.done += static_cast<Bytes>(part);
        }
        slot.number.store(number, std::memory_order_release);
        out.sent = number;
        if (transfer.slot != 0) return false;
    } while (transfer.done < bytes);
    return true;
}

bool NodeMessages::receive(Transfer& transfer, int peer, int channel, std::byte* to, Bytes bytes) {
    const int source = place_[static_cast<std::size_t>(peer)];
    const std::size_t i = index(source, me_, channel);
    Lane& from = lane(i);
    do {
        const std::uint64_t number = received_[i] + 1;
        Slot& slot = from.slot[number % slots];
        if (slot.number.load(std::memory_order_acquire) != number) return false;
        if (in_one_copy(bytes)) {
            transfer.failed = !read_from(source, slot.address, to, static_cast<std::size_t>(bytes));
            transfer.done = bytes;
        } else if (const std::size_t part = std::min(static_cast<std::size_t>(bytes - transfer.done), piece_bytes_); part > 0) {
            std::memcpy(to + transfer.done, part <= sizeof slot.data ? slot.data : piece(from, number), part);
            transfer.done += static_cast<Bytes>(part);
        }
        received_[i] = number;
        from.consumed.store(number, std::memory_order_release);
    } while (transfer.done < bytes);
    return true;
}

bool NodeMessages::read_from(int place, const void* address, std::byte* to, std::size_t bytes) const {
    const auto* from = static_cast<const std::byte*>(address);
    while (bytes > 0) {
        const iovec here{to, bytes}, there{const_cast<std::byte*>(from), bytes};
        const ssize_t count = process_vm_readv(process_[static_cast<std::size_t>(place)], &here, 1, &there, 1, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        to += count;
        from += count;
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace kumihimo::collectives
