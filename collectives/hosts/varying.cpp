// Gatherv, Scatterv and Alltoallv in two levels. No rank knows all sizes, so the ranks of a host tell theirs to its leader
// first (Call::told). Short blocks of a host travel together. A longer one goes directly: both its ends know that it is long,
// and whoever stood between would only copy it.
//
// What travels together has the order of the senders, and of each sender that of the receivers, as their hosts have them.
#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithms/declarations.hpp"
#include "collectives/hosts/leaders.hpp"
#include "collectives/hosts/levels.hpp"

namespace kumihimo::collectives {

namespace {

// Which blocks travel together: the same on all ranks, and as long as those of all fit into work space.
struct Short {
    Bytes blocks, longest;  // how many fit into work space, and of how many bytes at most

    explicit Short(const Call& call) : blocks(call.ranks), longest(8192) {
        if (call.operation == Operation::alltoall) {
            constexpr Bytes longest_of_a_host_pair = 32 << 10;  // with a block for each pair of their ranks
            const Bytes ranks = call.placement->largest();
            blocks *= 3 * ranks + 2;  // a leader's three areas, and what each rank packs and unpacks
            longest = std::min(longest, longest_of_a_host_pair / (ranks * ranks));
        }
        longest = std::min(longest, call.work_limit / blocks);
    }
};

// Blocks that travel together, and where: as they lie, if that is side by side, else packed in work space.
class Bundle {
public:
    void add(Span block) {
        if (block.bytes == 0) return;
        adjacent_ = adjacent_ && (blocks_.empty() || blocks_.back().offset + blocks_.back().bytes == block.offset);
        blocks_.push_back(block);
        bytes_ += block.bytes;
    }
    bool empty() const { return bytes_ == 0; }
    Span place(Bytes& work) {
        place_ = adjacent_ ? Span{blocks_.front().buffer, blocks_.front().offset, bytes_} : Span{Buffer::work, work, bytes_};
        if (!adjacent_) work += bytes_;
        return place_;
    }
    // Into its place, and out of it once it has come; none where the blocks lie side by side.
    std::vector<Step> packing() const {
        return copies([](const Span& block, const Span& packed) { return copy(block, packed); });
    }
    std::vector<Step> unpacking(StepIndex came) const {
        return copies([came](const Span& block, const Span& packed) { return copy(packed, block, came); });
    }

private:
    template <typename Copy>
    std::vector<Step> copies(Copy&& copy_of) const {
        std::vector<Step> steps;
        Bytes offset = 0;
        for (const Span& block : blocks_) {
            if (!adjacent_) steps.push_back(copy_of(block, place_.part(offset, block.bytes)));
            offset += block.bytes;
        }
        return steps;
    }

    std::vector<Span> blocks_;
    Span place_;
    Bytes bytes_ = 0;
    bool adjacent_ = true;
};

// What rank `call.rank` knows of the hosts.
struct Here {
    explicit Here(const Call& call)
        : placement(*call.placement),
          host(placement.host(call.rank)),
          leader(leader_of(call, host)),
          ranks(ranks_of(call, host)) {}

    const Placement& placement;
    int host, leader;
    std::vector<int> ranks;
};

// The root's blocks of another host that travel together.
Bundle short_blocks(const Call& call, const Blocks& blocks, Buffer buffer, int host, Bytes limit) {
    Bundle bundle;
    for (const int rank : call.placement->ranks(host))
        if (blocks.size(rank) <= limit) bundle.add(blocks.in(buffer, rank));
    return bundle;
}

}  // namespace

Steps tell_leader(Call call, Bytes bytes) {
    const Placement& placement = *call.placement;
    const int host = placement.host(call.rank), leader = leader_of(call, host);
    const Span own{Buffer::send, 0, bytes};
    if (call.rank != leader) {
        co_yield send(leader, own);
        co_return;
    }
    Bytes offset = 0;
    for (const int rank : placement.ranks(host)) {
        const Span place{Buffer::receive, offset, bytes};
        const Step tell = rank == leader ? copy(own, place) : receive(rank, place);
        co_yield tell;
        offset += bytes;
    }
}

Bytes hosts_varying_work(const Call& call) {
    const Short together(call);
    return together.longest * together.blocks;
}

Steps gather_hosts_varying(Call call) {
    const Here here(call);
    const Bytes limit = Short(call).longest;
    const Span own{Buffer::send, 0, call.block_bytes};
    const bool with_root = here.host == here.placement.host(call.root);
    const auto users = [&](int rank) { return call.receive_blocks.in(Buffer::receive, rank); };
    Bytes work = 0;
    if (call.rank == call.root) {
        for (int host = 0; host < here.placement.hosts(); ++host) {
            if (host == here.host) continue;
            Bundle bundle = short_blocks(call, call.receive_blocks, Buffer::receive, host, limit);
            if (!bundle.empty()) {
                const StepIndex came = co_yield receive(leader_of(call, host), bundle.place(work));
                for (const Step& step : bundle.unpacking(came)) co_yield step;
            }
            for (const int rank : here.placement.ranks(host))
                if (call.receive_blocks.size(rank) > limit) co_yield receive(rank, users(rank));
        }
        if (!call.in_place) co_yield copy(own, users(call.rank));
        for (const int rank : here.ranks)
            if (rank != call.rank) co_yield receive(rank, users(rank));
        co_return;
    }
    if (with_root || (own.bytes > limit && call.rank != here.leader)) {
        co_yield send(call.root, own);
        co_return;
    }
    if (call.rank != here.leader) {
        if (own.bytes > 0) co_yield send(here.leader, own);
        co_return;
    }
    Interval collected;
    for (std::size_t place = 0; place < here.ranks.size(); ++place) {
        const Bytes bytes = call.told[place];
        if (bytes == 0 || bytes > limit) continue;
        const Span packed{Buffer::work, work, bytes};
        const int rank = here.ranks[place];
        const Step collect = rank == call.rank ? copy(own, packed) : receive(rank, packed);
        collected.extend(co_yield collect);
        work += bytes;
    }
    if (work > 0) co_yield send(call.root, {Buffer::work, 0, work}, collected);
    if (own.bytes > limit) co_yield send(call.root, own);
}

Steps scatter_hosts_varying(Call call) {
    const Here here(call);
    const Bytes limit = Short(call).longest;
    const Span own{Buffer::receive, 0, call.block_bytes};
    const bool with_root = here.host == here.placement.host(call.root);
    const auto users = [&](int rank) { return call.send_blocks.in(Buffer::send, rank); };
    Bytes work = 0;
    if (call.rank == call.root) {
        for (int host = 0; host < here.placement.hosts(); ++host) {
            if (host == here.host) continue;
            Bundle bundle = short_blocks(call, call.send_blocks, Buffer::send, host, limit);
            if (!bundle.empty()) {
                const Span together = bundle.place(work);
                Interval packed;
                for (const Step& step : bundle.packing()) packed.extend(co_yield step);
                co_yield send(leader_of(call, host), together, packed);
            }
            for (const int rank : here.placement.ranks(host))
                if (call.send_blocks.size(rank) > limit) co_yield send(rank, users(rank));
        }
        for (const int rank : here.ranks)
            if (rank != call.rank) co_yield send(rank, users(rank));
        if (!call.in_place) co_yield copy(users(call.rank), own);
        co_return;
    }
    if (with_root || (own.bytes > limit && call.rank != here.leader)) {
        co_yield receive(call.root, own);
        co_return;
    }
    if (call.rank != here.leader) {
        if (own.bytes > 0) co_yield receive(here.leader, own);
        co_return;
    }
    for (std::size_t place = 0; place < here.ranks.size(); ++place)
        if (call.told[place] <= limit) work += call.told[place];
    StepIndex came = 0;
    if (work > 0) came = co_yield receive(call.root, {Buffer::work, 0, work});
    if (own.bytes > limit) co_yield receive(call.root, own);
    Bytes offset = 0;
    for (std::size_t place = 0; place < here.ranks.size(); ++place) {
        const Bytes bytes = call.told[place];
        if (bytes == 0 || bytes > limit) continue;
        const Span packed{Buffer::work, offset, bytes};
        const int rank = here.ranks[place];
        const Step pass_on = rank == call.rank ? copy(packed, own, came) : send(rank, packed, came);
        co_yield pass_on;
        offset += bytes;
    }
}

namespace {

// This rank's block for another rank, and from it.
Span block_to(const Call& call, int rank) {
    return call.send_blocks.in(Buffer::send, rank);
}
Span block_from(const Call& call, int rank) {
    return call.receive_blocks.in(Buffer::receive, rank);
}

// What needs no leader: blocks inside the host, then long ones.
std::vector<Step> direct_steps(const Call& call, const Here& here, Bytes limit) {
    std::vector<Step> steps = {copy(block_to(call, call.rank), block_from(call, call.rank))};
    const int many = static_cast<int>(here.ranks.size()), me = here.placement.place(call.rank);
    for (int i = 1; i < many; ++i) {
        const int to = here.ranks[static_cast<std::size_t>((me + i) % many)];
        const int from = here.ranks[static_cast<std::size_t>(modulo(me - i, many))];
        steps.push_back(receive(from, block_from(call, from)));
        steps.push_back(send(to, block_to(call, to)));
    }
    const auto long_one = [&](int rank, const Span& block) {
        return here.placement.host(rank) != here.host && block.bytes > limit;
    };
    for (int i = 1; i < call.ranks; ++i) {
        const int to = call.ahead(i), from = call.ahead(-i);
        const Span out = block_to(call, to), in = block_from(call, from);
        if (long_one(from, in)) steps.push_back(receive(from, in));
        if (long_one(to, out)) steps.push_back(send(to, out));
    }
    return steps;
}

// What a leader has got from another host.
struct Arrived {
    int host;
    Span blocks;
    StepIndex step;  // that receives them
};

// A leader, which knows what its host's ranks have told (Call::told): where in work space it gathers what they have for another
// host, and sorts what comes from there. Ranks of its host go by their place.
class Leader {
public:
    Leader(const Call& call, const Here& here, Bytes limit) : call_(call), here_(here), limit_(limit) {}

    struct Gathering {
        std::vector<Step> steps;
        Span together;
    };
    Gathering gather_for(int host) {
        Gathering gathering;
        const Bytes begin = work_;
        for (std::size_t place = 0; place < here_.ranks.size(); ++place) {
            if (!is_me(place)) {
                if (const Bytes bytes = sum(host, place, &Leader::to); bytes > 0)
                    gathering.steps.push_back(receive(here_.ranks[place], take(bytes)));
                continue;
            }
            for (const int other : here_.placement.ranks(host))
                if (const Bytes bytes = to(place, other); bytes > 0)
                    gathering.steps.push_back(copy(block_to(call_, other), take(bytes)));
        }
        gathering.together = {Buffer::work, begin, work_ - begin};
        return gathering;
    }

    // For all that comes from a host.
    Span room_for(int host) {
        Bytes bytes = 0;
        for (std::size_t place = 0; place < here_.ranks.size(); ++place) bytes += sum(host, place, &Leader::from);
        return take(bytes);
    }

    struct Sorting {
        std::vector<std::pair<std::size_t, Step>> copies;  // with the place of whom they are for
        std::vector<Span> parts;                           // of each rank, to be sent
    };
    Sorting sort(const Arrived& arrived) {
        Sorting sorting;
        for (std::size_t place = 0; place < here_.ranks.size(); ++place)
            sorting.parts.push_back(take(is_me(place) ? 0 : sum(arrived.host, place, &Leader::from)));
        std::vector<Bytes> filled(here_.ranks.size());
        Bytes begin = 0;
        for (const int sender : here_.placement.ranks(arrived.host))
            for (std::size_t place = 0; place < here_.ranks.size(); ++place) {
                const Bytes bytes = from(place, sender);
                if (bytes == 0) continue;
                const Span its = is_me(place) ? block_from(call_, sender) : sorting.parts[place].part(filled[place], bytes);
                sorting.copies.emplace_back(place, copy(arrived.blocks.part(begin, bytes), its, arrived.step));
                filled[place] += bytes;
                begin += bytes;
            }
        return sorting;
    }

private:
    bool is_me(std::size_t place) const { return here_.ranks[place] == call_.rank; }
    Span take(Bytes bytes) {
        work_ += bytes;
        return {Buffer::work, work_ - bytes, bytes};
    }

    // Bytes of a short block from a rank of this host to another one, and back.
    Bytes to(std::size_t place, int other) const { return told(2 * place, other); }
    Bytes from(std::size_t place, int other) const { return told(2 * place + 1, other); }
    Bytes told(std::size_t row, int other) const {
        const Bytes bytes = call_.told[row * static_cast<std::size_t>(call_.ranks) + static_cast<std::size_t>(other)];
        return bytes <= limit_ ? bytes : 0;
    }
    Bytes sum(int host, std::size_t place, Bytes (Leader::*of)(std::size_t, int) const) const {
        Bytes bytes = 0;
        for (const int other : here_.placement.ranks(host)) bytes += (this->*of)(place, other);
        return bytes;
    }

    const Call& call_;
    const Here& here_;
    Bytes limit_, work_ = 0;
};

}  // namespace

Steps alltoall_hosts_varying(Call call) {
    const Here here(call);
    const Bytes limit = Short(call).longest;
    const int hosts = here.placement.hosts();
    // Before anything else, so that the order of a leader's messages is clear to both ends.
    for (const Step& step : direct_steps(call, here, limit)) co_yield step;

    if (call.rank != here.leader) {
        Bytes work = 0;
        for (int i = 1; i < hosts; ++i) {
            Bundle out = short_blocks(call, call.send_blocks, Buffer::send, (here.host + i) % hosts, limit);
            if (out.empty()) continue;
            const Span together = out.place(work);
            Interval packed;
            for (const Step& step : out.packing()) packed.extend(co_yield step);
            co_yield send(here.leader, together, packed);
        }
        for (int i = 1; i < hosts; ++i) {
            Bundle in = short_blocks(call, call.receive_blocks, Buffer::receive, modulo(here.host - i, hosts), limit);
            if (in.empty()) continue;
            const StepIndex came = co_yield receive(here.leader, in.place(work));
            for (const Step& step : in.unpacking(came)) co_yield step;
        }
        co_return;
    }

    Leader leader(call, here, limit);
    std::vector<Arrived> arrived;
    for (int i = 1; i < hosts; ++i) {
        const int to = (here.host + i) % hosts, from = modulo(here.host - i, hosts);
        const Leader::Gathering out = leader.gather_for(to);
        Interval gathered;
        for (const Step& step : out.steps) gathered.extend(co_yield step);
        if (const Span in = leader.room_for(from); in.bytes > 0) {
            const StepIndex came = co_yield receive(leader_of(call, from), in);
            arrived.push_back({from, in, came});
        }
        if (out.together.bytes > 0) co_yield send(leader_of(call, to), out.together, gathered);
    }
    for (const Arrived& of_host : arrived) {
        const Leader::Sorting sorting = leader.sort(of_host);
        std::vector<Interval> copied(here.ranks.size());
        for (const auto& [place, step] : sorting.copies) copied[place].extend(co_yield step);
        for (std::size_t place = 0; place < here.ranks.size(); ++place)
            if (sorting.parts[place].bytes > 0) co_yield send(here.ranks[place], sorting.parts[place], copied[place]);
    }
}

}  // namespace kumihimo::collectives
