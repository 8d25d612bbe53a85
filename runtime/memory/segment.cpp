#include "runtime/memory/segment.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/agreement.hpp"
#include "base/collective.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/hosts.hpp"
#include "base/log.hpp"
#include "base/node_number.hpp"
#include "base/settings.hpp"
#include "base/shared_room.hpp"
#include "runtime/memory/capacity.hpp"
#include "runtime/memory/red_zone.hpp"
#include "runtime/memory/segment_state.hpp"

namespace kumihimo::memory {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t largest = std::size_t{1} << 56;  // beyond any machine; sums of these cannot overflow

std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Arrays of equal size that all start at page boundaries fall on the same cache sets: each allocation starts elsewhere.
std::size_t stagger(std::uint64_t number) {
    return red_zone_bytes() + number % 16 * (page + 256);
}

// What a rank tells the others when it enters an allocation.
struct Request {
    std::uint64_t bytes;
    std::uint64_t reuse;    // number of the freed segment that would do; 0: none
    std::uint64_t purpose;  // for which, as a hash
};

// Nodes that meet here on their ways to different things: an array on one, on another the flags of its first barrier.
void check_same_purpose(MPI_Comm comm, const std::vector<Request>& requests, const std::string& purpose) {
    const auto differs = [&](const Request& request) { return request.purpose != requests.front().purpose; };
    if (std::none_of(requests.begin(), requests.end(), differs)) return;
    using Text = std::array<char, 128>;
    Text mine{};
    purpose.copy(mine.data(), mine.size() - 1);
    const std::vector<Text> all = base::gather_all(comm, mine);
    std::map<std::string_view, std::vector<int>> nodes_of;
    for (std::size_t rank = 0; rank < all.size(); ++rank) nodes_of[all[rank].data()].push_back(static_cast<int>(rank));
    std::string told;
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (const std::vector<int>& nodes = nodes_of[all[rank].data()]; nodes.front() == static_cast<int>(rank))
            told += fmt::format("{}{} allocate{} {}", told.empty() ? "" : ", ", base::nodes_text(nodes),
                                nodes.size() == 1 ? "s" : "", all[rank].data());
    throw base::Error("nodes wait for each other in different directives: " + told,
                      "All nodes of a set execute the same directives and declarations in the same order.");
}

bool all_offer(const std::vector<Request>& requests, std::uint64_t number) {
    return number != 0 && std::all_of(requests.begin(), requests.end(), [&](const Request& r) { return r.reuse == number; });
}

using Sizes = std::vector<std::uint64_t>;  // of every rank's block

Sizes sizes_of(const std::vector<Request>& requests) {
    Sizes sizes;
    for (const Request& request : requests) sizes.push_back(request.bytes);
    return sizes;
}

// Where the blocks of this machine's ranks lie in a mapping of their own.
std::vector<Slot> lay_out(const Sizes& sizes, const base::Hosts& hosts, std::size_t start) {
    std::vector<Slot> slots(sizes.size());
    std::size_t end = 0;
    for (const int rank : hosts.ranks_here) {
        const std::size_t bytes = sizes[static_cast<std::size_t>(rank)];
        const std::size_t begin = round_up(end, bytes >= huge_page ? huge_page : page);
        end = round_up(begin + start + std::max<std::size_t>(bytes, 1) + red_zone_bytes(), page);
        slots[static_cast<std::size_t>(rank)] = Slot{begin, begin + start, end};
    }
    return slots;
}

std::uint64_t sum_here(const Sizes& sizes, const base::Hosts& hosts) {
    std::uint64_t sum = 0;
    for (const int rank : hosts.ranks_here) sum += sizes[static_cast<std::size_t>(rank)];
    return sum;
}

// Bytes in the live segments of this machine, as far as this process takes part in them.
std::size_t live_here = 0;

// The verdict on an allocation that all ranks learn: from the machine with the worst news.
struct Verdict {
    enum Problem : std::int32_t { none = 0, too_large = 1, refused = 2 };
    std::int32_t problem = none;
    std::int32_t rank = 0;
    std::uint64_t asked = 0, available = 0;
    char text[160] = {};
};

Verdict check_capacity(std::uint64_t asked, std::size_t mapped, const base::Hosts& hosts) {
    Verdict verdict;
    verdict.asked = asked;
    const Capacity memory = capacity();
    // The kernel counts memory as used when it is touched: what is promised but not yet touched is ours to remember.
    const std::size_t promised = memory.total > live_here ? memory.total - live_here : 0;
    verdict.available = std::min({memory.available, promised, method_space(hosts.method), address_space()});
    if (asked > verdict.available || mapped > address_space()) verdict.problem = Verdict::too_large;
    return verdict;
}

// Every rank learns the first problem in rank order, if there is one. Also a barrier.
Verdict agree(MPI_Comm comm, Verdict mine) {
    int size = 0;
    MPI_Comm_rank(comm, &mine.rank);
    MPI_Comm_size(comm, &size);
    const int my_key = mine.problem == Verdict::none ? size : mine.rank;
    int first = size;
    base::lowest(comm, &my_key, &first, 1, MPI_INT);
    if (first == size) return Verdict{};
    base::broadcast(comm, first, mine);
    return mine;
}

[[noreturn]] void report(const Verdict& verdict, const std::string& purpose, std::uint64_t total) {
    if (verdict.problem == Verdict::refused)
        throw base::Error(
            fmt::format("no memory for {} ({} on all nodes): {}", purpose, base::bytes_text(total), verdict.text));
    throw base::Error(
        fmt::format("allocation too large: {} asks for {} on one machine, {} are available there ({} on all nodes)", purpose,
                    base::bytes_text(verdict.asked), base::bytes_text(verdict.available), base::bytes_text(total)),
        "Use more machines or a smaller array. KUMIHIMO_LOG=debug lists the allocations.");
}

// A rank alone takes private memory. Collective over comm.
Verdict map_slots(MPI_Comm comm, const base::Hosts& hosts, const Slot& mine, std::size_t bytes, base::Mapping& mapping) {
    Verdict verdict;
    const auto refuse = [&](const char* why) {
        verdict.problem = Verdict::refused;
        std::strncpy(verdict.text, why, sizeof verdict.text - 1);
    };
    const int first = hosts.alone() ? -1 : hosts.ranks_here.front();
    base::SharedRoom room(comm, {first, hosts.method, bytes, mine.begin, mine.end});
    if (!hosts.alone() && !room.is_in()) refuse(room.refusal().c_str());
    try {
        mapping = hosts.alone() ? base::Mapping::anonymous(bytes) : room.take();
    } catch (const base::Error& error) {
        refuse(error.what());
    }
    return agree(comm, verdict);
}

void ask_for_huge_pages(const base::Mapping& mapping, const Slot& mine) {
    static const bool wanted = base::setting_flag("KUMIHIMO_HUGE_PAGES");
    if (wanted && mine.end - mine.begin >= 2 * huge_page) mapping.ask_for_huge_pages(mine.begin, mine.end - mine.begin);
}

}  // namespace

std::vector<Slot> Shelf::take(const std::vector<std::uint64_t>& bytes_of, std::uint64_t number) {
    constexpr std::size_t line = 256;  // of caches, at most (A64FX): blocks share none, and equal ones fall on different sets
    const std::size_t start = number % (page / line) * line;
    std::vector<Slot> slots;
    for (std::size_t rank = 0; rank < taken_.size(); ++rank) {
        const std::size_t begin = taken_[rank], least = begin + red_zone_bytes();
        const std::size_t data = least + (page + start - least % page) % page;
        slots.push_back({begin, data, round_up(data + std::max<std::size_t>(bytes_of[rank], 1) + red_zone_bytes(), line)});
    }
    const auto fits = [](const Slot& slot) { return slot.end <= bytes; };
    if (!std::all_of(slots.begin(), slots.end(), fits)) slots.clear();
    for (std::size_t rank = 0; rank < slots.size(); ++rank) taken_[rank] = slots[rank].end;
    return slots;
}

// ---- a fresh segment ----

namespace {

// An allocation, as all ranks of its communicator see it.
struct Allocation {
    MPI_Comm comm;
    const base::Hosts& hosts;
    Sizes sizes;
    std::uint64_t number;
    const std::string& purpose;
    Pool& pool;

    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t bytes : sizes) sum = std::min<std::uint64_t>(sum + bytes, largest);
        return sum;
    }
    const Slot& mine(const std::vector<Slot>& slots) const { return slots[static_cast<std::size_t>(hosts.my_rank)]; }

    // A mapping for slots of these sizes. On failure every rank throws the same Error.
    std::shared_ptr<const base::Mapping> map(const std::vector<Slot>& slots, std::uint64_t asked_here) const {
        const std::size_t mapped = slots[static_cast<std::size_t>(hosts.ranks_here.back())].end;
        Verdict verdict = agree(comm, check_capacity(asked_here, mapped, hosts));
        if (verdict.problem == Verdict::too_large) {
            pool.clear();  // freed memory that was kept may be what is missing
            verdict = agree(comm, check_capacity(asked_here, mapped, hosts));
        }
        base::Mapping mapping;
        if (verdict.problem == Verdict::none) verdict = map_slots(comm, hosts, mine(slots), mapped, mapping);
        if (verdict.problem != Verdict::none) report(verdict, purpose, total());
        ask_for_huge_pages(mapping, mine(slots));
        return std::make_shared<const base::Mapping>(std::move(mapping));
    }

    bool is_small() const {
        return std::all_of(sizes.begin(), sizes.end(), [](std::uint64_t bytes) { return bytes <= Shelf::most_block_bytes; });
    }

    // Where the ranks' parts of a shelf lie in its mapping.
    std::vector<Slot> parts() const {
        std::vector<Slot> slots(sizes.size());
        std::size_t begin = 0;
        for (const int rank : hosts.ranks_here) {
            slots[static_cast<std::size_t>(rank)] = {begin, begin, begin + Shelf::bytes};
            begin += Shelf::bytes;
        }
        return slots;
    }

    // The slots of this machine's ranks in the shelf that is not full, or in a new one.
    std::vector<Slot> slots_in_shelf() const {
        std::vector<Slot> slots = pool.shelf().take(sizes, number);
        const std::vector<Slot> places = parts();
        if (slots.empty()) {
            pool.shelf() = Shelf(map(places, hosts.ranks_here.size() * Shelf::bytes), sizes.size());
            slots = pool.shelf().take(sizes, number);
        }
        for (std::size_t rank = 0; rank < slots.size(); ++rank) {
            const std::size_t begin = places[rank].begin;
            slots[rank] = {begin + slots[rank].begin, begin + slots[rank].data, begin + slots[rank].end};
        }
        return slots;
    }
};

std::shared_ptr<Segment::State> make_state(const Allocation& allocation) {
    const base::Hosts& hosts = allocation.hosts;
    std::vector<Slot> slots;
    std::shared_ptr<const base::Mapping> mapping;
    if (allocation.is_small()) {
        slots = allocation.slots_in_shelf();
        mapping = allocation.pool.shelf().mapping();
    } else {
        slots = lay_out(allocation.sizes, hosts, stagger(allocation.number));
        mapping = allocation.map(slots, sum_here(allocation.sizes, hosts));
    }
    auto state = std::make_shared<Segment::State>(std::move(mapping));
    state->number = allocation.number;
    state->purpose = allocation.purpose;
    state->my_rank = hosts.my_rank;
    state->mine = allocation.mine(slots);
    state->bytes_of = allocation.sizes;
    state->direct.assign(slots.size(), nullptr);
    for (const int rank : hosts.ranks_here) {
        const Slot& slot = slots[static_cast<std::size_t>(rank)];
        state->direct[static_cast<std::size_t>(rank)] = state->mapping->data() + slot.data;
        state->bytes_here += slot.end - slot.begin;
    }
    forbid(state->slot_begin(), state->local());
    forbid(state->local() + state->bytes(), state->slot_end());
    base::log(base::log_memory, "{}: {} here, {} on all nodes", allocation.purpose, base::bytes_text(state->bytes()),
              base::bytes_text(allocation.total()));
    return state;
}

}  // namespace

std::unique_ptr<Segment> Segment::allocate(MPI_Comm comm, std::size_t bytes, const std::string& purpose) {
    const std::shared_ptr<Pool> pool = Pool::of(comm);
    const State* const candidate = pool->candidate(bytes, purpose);
    // All ranks have dropped a reused segment when the exchange ends, so it is cleaned before: nobody may see it dirty.
    if (candidate != nullptr) std::memset(candidate->local(), 0, bytes);
    const auto requests =
        base::gather_all(comm, Request{std::min<std::uint64_t>(bytes, largest), candidate != nullptr ? candidate->number : 0,
                                       base::hash_of(std::as_bytes(std::span(purpose)))});
    check_same_purpose(comm, requests, purpose);
    std::shared_ptr<State> state;
    if (candidate != nullptr && all_offer(requests, candidate->number))
        state = pool->take(candidate->number);
    else
        state = make_state({comm, base::hosts_of(comm), sizes_of(requests), pool->next_number(), purpose, *pool});
    state->pool = pool;
    return std::unique_ptr<Segment>(new Segment(std::move(state)));
}

Segment::Segment(std::shared_ptr<State> state) : state_(std::move(state)) {
    live_here += state_->bytes_here;
}

Segment::~Segment() {
    live_here -= state_->bytes_here;
    if (const auto pool = state_->pool.lock()) pool->put(std::move(state_));
}

std::byte* Segment::local() const {
    return state_->local();
}
std::size_t Segment::bytes() const {
    return state_->bytes();
}
std::byte* Segment::direct(int rank) const {
    return state_->direct[static_cast<std::size_t>(rank)];
}
std::size_t Segment::bytes(int rank) const {
    return state_->bytes_of[static_cast<std::size_t>(rank)];
}
int Segment::ranks() const {
    return static_cast<int>(state_->direct.size());
}

}  // namespace kumihimo::memory
