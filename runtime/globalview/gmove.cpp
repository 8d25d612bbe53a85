// The gmove directive (specification 4.5.2): which plan belongs to which assignment.
#include "runtime/globalview/gmove.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/finalize.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/globalview/async.hpp"
#include "runtime/globalview/collective_checks.hpp"
#include "runtime/globalview/gmove_exchange.hpp"
#include "runtime/globalview/gmove_one_sided.hpp"
#include "runtime/globalview/gmove_sides.hpp"
#include "runtime/globalview/shadow_checks.hpp"

namespace kumihimo::globalview {

using execution::Array;
using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;

void place_nodes(const Array* array, const NodeSet& executing, std::vector<int>& in_grid, std::vector<int>& member) {
    if (array == nullptr) return;
    in_grid.assign(static_cast<std::size_t>(executing.size()), -1);
    member.assign(static_cast<std::size_t>(array->set->size()), -1);
    for (int number = 0; number < array->set->size(); ++number) {
        const int here = executing.number_of(array->set->world_rank(number));
        member[static_cast<std::size_t>(number)] = here;
        if (here >= 0) in_grid[static_cast<std::size_t>(here)] = number;
    }
}

namespace {

// ---- plans ----

void check_presence(const Side& side, const std::vector<int>& member, const NodeSet& executing, bool any_replica) {
    if (side.array == nullptr || side.array->set.get() == &executing) return;
    const std::vector<int> absent = absent_owners(side.geometry, member, any_replica);
    if (!absent.empty())
        throw base::Error(fmt::format("{} lies partly on {} (the first is node {} of the entire set) that {} "
                                      "not execute now; the executing set has {}",
                                      side.text(), base::counted(static_cast<long long>(absent.size()), "node"),
                                      base::node_number(side.array->set->world_rank(absent.front())),
                                      absent.size() == 1 ? "does" : "do", base::counted(executing.size(), "node")),
                          "Execute the gmove where all nodes of both sides take part.");
}

// Nodes that are each node's own part of others (`nodes r = p[:][*]`) are other nodes elsewhere, of which a plan that is made
// without communication knows nothing. Within a machine that does not matter: each node reads what it needs.
void check_same_everywhere(const Side& side, const NodeSet& executing) {
    if (side.array == nullptr || side.array->set.get() == &executing || !side.array->nodes().differs_between_nodes()) return;
    throw base::Error(
        fmt::format("{} lies on node array {}, which stands for other nodes on other nodes", side.text(),
                    side.array->nodes().name),
        "Between machines, execute the gmove in a task on that node array, or distribute the array onto all nodes.");
}

std::size_t elements_of(const Side& side) {
    std::size_t count = 1;
    for (const GmoveSide::Subscript& subscript : side.geometry.subscripts)
        count *= static_cast<std::size_t>(subscript.range.count);
    return count;
}

GmovePlan plan_collective(const Side& left, const Side& right, const NodeSet& executing, bool buffered, const Team& team) {
    GmoveNodes nodes;
    nodes.count = executing.size();
    nodes.me = executing.my_number();
    place_nodes(left.array, executing, nodes.in_left, nodes.left_member);
    place_nodes(right.array, executing, nodes.in_right, nodes.right_member);
    for (const Side* const side : {&left, &right})
        if (!team.shared()) check_same_everywhere(*side, executing);
    check_presence(left, nodes.left_member, executing, false);
    check_presence(right, nodes.right_member, executing, true);
    const bool may_broadcast = !team.shared() || elements_of(right) * right.geometry.element_bytes <= Team::most_bytes;
    return plan_gmove(left.geometry, right.geometry, nodes,
                      {buffered, may_broadcast, most_elements_together(team, right.geometry.element_bytes),
                       [&](int number) { return right.array->peer_base(number) != nullptr; }});
}

// Where nodes have their numbers in the entire set: the side that is reached may lie anywhere, the other on executing nodes.
GmovePlan plan_one_sided(GmoveMode mode, const Side& left, const Side& right, const NodeSet& executing, bool buffered) {
    const NodeSet& entire = *Context::get().entire();
    const bool in = mode == GmoveMode::in;
    const Side &reached = in ? right : left, &near = in ? left : right;
    std::vector<int> near_in_grid, near_member, in_grid, member;
    place_nodes(near.array, executing, near_in_grid, near_member);
    check_presence(near, near_member, executing, !in);
    place_nodes(near.array, entire, near_in_grid, near_member);
    place_nodes(reached.array, entire, in_grid, member);
    if (!in)
        for (int& number : near_member)
            if (executing.number_of(number) < 0) number = -1;
    const GmoveNodes nodes = in ? GmoveNodes{entire.size(), entire.my_number(), near_in_grid, in_grid, near_member, member}
                                : GmoveNodes{entire.size(), entire.my_number(), in_grid, near_in_grid, member, near_member};
    const GmoveWays ways = {buffered, false, 0, [&](int number) { return reached.array->peer_base(number) != nullptr; }};
    return in ? plan_gmove_in(left.geometry, right.geometry, nodes, ways)
              : plan_gmove_out(left.geometry, right.geometry, nodes, ways, executing.world_ranks());
}

// What a plan depends on, as numbers.
using Key = std::vector<Index>;

void append(Key& key, const Side& side) {
    key.push_back(side.array != nullptr ? static_cast<Index>(side.array->mapping_number) : 0);
    key.push_back(static_cast<Index>(side.geometry.element_bytes));
    for (std::size_t d = 0; d < side.geometry.subscripts.size(); ++d) {
        const auto& [section, range] = side.geometry.subscripts[d];
        key.insert(key.end(), {section, section ? range.first : owner_of_index(side.geometry, d), range.count, range.step});
    }
    key.insert(key.end(), side.geometry.strides.begin(), side.geometry.strides.end());
    key.push_back(XMP_OPEN);  // ends a side
}

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::uint64_t hash = 14695981039346656037u;
        for (const Index number : key) hash = (hash ^ static_cast<std::uint64_t>(number)) * 1099511628211u;
        return hash ^ (hash >> 32);
    }
};

// The plans of this node. What it keeps is its own business: plans are made without communication.
class Plans {
public:
    std::shared_ptr<const GmovePlan> of(GmoveMode mode, const Side& left, const Side& right, const NodeSetPointer& executing,
                                        bool buffered) {
        key_.assign({buffered, static_cast<Index>(mode)});
        append(key_, left);
        append(key_, right);
        const auto found = entries_.find(key_);
        if (found != entries_.end() && found->second.executing == executing) return found->second.plan;
        if (entries_.size() >= most_plans) entries_.clear();
        auto plan = std::make_shared<const GmovePlan>(
            mode == GmoveMode::collective ? plan_collective(left, right, *executing, buffered, Team::of(executing))
                                          : plan_one_sided(mode, left, right, *executing, buffered));
        entries_.insert_or_assign(key_, Entry{executing, plan});
        return plan;
    }

private:
    static constexpr std::size_t most_plans = 256;
    struct Entry {
        NodeSetPointer executing;
        std::shared_ptr<const GmovePlan> plan;
    };
    std::unordered_map<Key, Entry, KeyHash> entries_;
    Key key_;  // of the one that is asked for
};

// Everything that an assignment needs, checked.
struct Assignment {
    NodeSetPointer executing;
    std::shared_ptr<const GmovePlan> plan;
    GmoveMemory memory;
    bool reads_others = false;
    std::vector<GmovePeer> peers;  // one-sided
    bool all_stage = false;
};

void check_sides(GmoveMode mode, const Side& left, const Side& right) {
    if (mode == GmoveMode::in && right.array == nullptr)
        throw base::Error(fmt::format("gmove in reads a global array, and {} is a local variable", right.text()),
                          "Write gmove without in.");
    if (mode == GmoveMode::out && left.array == nullptr)
        throw base::Error(fmt::format("gmove out writes to a global array, and {} is a local variable", left.text()),
                          "Use gmove in, or gmove without a mode.");
}

// Where copies of a plan begin in a node's block: what the plan leaves out.
std::ptrdiff_t offset_here(const Side& side) {
    static const std::vector<Index> of_memory;
    return offset_of_indices(side.geometry, side.array != nullptr ? side.array->nodes().coordinates : of_memory);
}
std::ptrdiff_t offset_there(const Side& side, const GmovePart& part) {
    return offset_of_indices(side.geometry, part.coordinates);
}

void find_sources(const GmovePlan& plan, const Side& right, const NodeSet& executing, std::vector<const std::byte*>& sources) {
    sources.clear();
    for (const GmovePart& part : plan.incoming) {
        const bool here = part.grid_number < 0 || part.number == executing.my_number();
        sources.push_back(!part.direct ? nullptr
                          : here       ? right.base() + offset_here(right)
                                 : right.array->peer_base(part.grid_number) + right.given->member + offset_there(right, part));
    }
}

GmovePeer peer_of(const Side& side, const GmovePart& part) {
    const std::ptrdiff_t indices = offset_there(side, part);
    if (part.number == Context::get().world_rank()) return {side.base() + indices, nullptr, part.number, 0};
    const Array& array = *side.array;
    auto blocks = localview::reachable_blocks(array, part.number);
    if (blocks == nullptr)
        throw base::Error(
            fmt::format("other nodes' parts of {} cannot be reached: its memory is the program's own", array.name),
            "Use gmove without in or out, or let the runtime allocate the array.");
    std::byte* const direct = array.peer_base(part.grid_number);
    const std::size_t offset = side.given->member + static_cast<std::size_t>(indices);
    return {direct == nullptr ? nullptr : direct + offset, std::move(blocks), part.number, array.segment_offset + offset};
}

// What the assignment had before is replaced, in its memory: another row needs no new one.
void prepare(GmoveMode mode, const Side& left, const Side& right, Plans& plans, Assignment& assignment) {
    check_sides(mode, left, right);
    check_conformance(left, right);
    const Convert convert = conversion_of(left, right);
    assignment.all_stage = mode != GmoveMode::collective && overlap_everywhere(left, right);
    const bool staged = assignment.all_stage || may_overlap(left, right);
    assignment.executing = Context::get().executing();
    assignment.plan = plans.of(mode, left, right, assignment.executing, staged || convert != nullptr);
    const bool receives = !assignment.plan->incoming.empty(), sends = !assignment.plan->outgoing.empty();
    GmoveMemory& memory = assignment.memory;
    memory.left = receives ? left.base() + offset_here(left) : nullptr;
    memory.right = sends ? right.base() + offset_here(right) : nullptr;
    memory.left_bytes = left.geometry.element_bytes;
    memory.right_bytes = right.geometry.element_bytes;
    memory.convert = convert;
    memory.staged = staged;
    if (mode == GmoveMode::collective) {
        find_sources(*assignment.plan, right, *assignment.executing, memory.sources);
        assignment.reads_others = right.array != nullptr;
        return;
    }
    const bool in = mode == GmoveMode::in;
    assignment.peers.clear();
    for (const GmovePart& part : in ? assignment.plan->incoming : assignment.plan->outgoing)
        assignment.peers.push_back(peer_of(in ? right : left, part));
}

// The checks cost as much as the transfer of a few elements. So each place of the program keeps its last assignment: it holds
// as long as the same nodes execute with the same arrays, addresses and subscripts.
class Places {
public:
    static Places& get() {
        static auto& places = *new Places;  // MPI may end before static objects do
        return places;
    }

    const Assignment& of(const XMP_Site* site, GmoveMode mode, const XMP_Side& left, const XMP_Side& right) {
        Request request;
        const bool allocated = request.append(left) && request.append(right);
        Entry& entry = entries_[site];
        if (!allocated || mode != entry.mode || !entry.request.same(request) ||
            entry.assignment.executing.get() != Context::get().executing_now()) {
            entry.request.size = 0;  // not even this one's if the next line throws
            resolve(left, left_);
            resolve(right, right_);
            prepare(mode, left_, right_, plans_, entry.assignment);
            entry.request = request;
            entry.mode = mode;
        }
        return entry.assignment;
    }

private:
    // Both sides as they were given, as numbers.
    struct Request {
        std::array<Index, 2 * (6 + 6 * sets::max_rank)> number;
        std::size_t size = 0;

        bool append(const XMP_Side& side) {
            const auto* const array = static_cast<const Array*>(side.array);  // it is one, and nobody passes a dead one
            add(reinterpret_cast<Index>(side.array));
            add(array != nullptr ? static_cast<Index>(array->mapping_number) : reinterpret_cast<Index>(side.address));
            add(side.type), add(static_cast<Index>(side.element_bytes)), add(static_cast<Index>(side.member)), add(side.rank);
            for (int d = 0; d < side.rank; ++d) {
                const XMP_Triplet& triplet = side.subscripts[d];
                add(triplet.section), add(triplet.first), add(triplet.length), add(triplet.step);
                if (array == nullptr) add(side.extents[d]), add(side.strides[d]);
            }
            return array == nullptr || array->allocated();
        }
        void add(Index value) { number[size++] = value; }
        bool same(const Request& other) const {
            return size == other.size &&
                   std::equal(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(size), other.number.begin());
        }
    };
    struct Entry {
        GmoveMode mode = GmoveMode::collective;
        Request request;
        Assignment assignment;
    };
    Places() {
        base::at_finalize([] {
            get().entries_ = {};
            get().plans_ = {};
            forget_gmove_buffers();
        });
    }
    std::unordered_map<const XMP_Site*, Entry> entries_;
    Plans plans_;
    Side left_, right_;  // of the one that is prepared
};

// One that was begun; what it needs of the assignment lives as long as it.
class Begun final : public Pending {
public:
    explicit Begun(Assignment assignment)
        : assignment_(std::move(assignment)),
          exchange_(*assignment_.plan, assignment_.memory, Team::of(assignment_.executing)) {
        exchange_.start();
    }
    bool test() override { return exchange_.advance(); }
    void wait() override {
        base::wait_until([this] { return test(); });
    }

private:
    const Assignment assignment_;
    GmoveExchange exchange_;
};

// Where all nodes share memory everything is a copy that somebody has to make: async then makes it at once.
void collective(const Assignment& assignment, const int* async) {
    GmoveExchange exchange(*assignment.plan, assignment.memory, Team::of(assignment.executing));
    if (async != nullptr && exchange.waiting())
        begin(*async, assignment.executing, std::make_unique<Begun>(assignment));
    else
        exchange.run(assignment.reads_others);
}

void one_sided(const Assignment& assignment, const int* async) {
    OneSidedGmove move(*assignment.plan, assignment.memory, assignment.peers, assignment.all_stage,
                       Team::of(assignment.executing));
    if (async == nullptr)
        move.run();
    else if (auto rest = move.start())
        begin(*async, assignment.executing, std::move(rest));
}

void assign(const XMP_Site* site, GmoveMode mode, const XMP_Side& left, const XMP_Side& right, const int* async) {
    if (!Context::get().may_communicate())
        throw base::Error("communication inside a task with the nocomm clause", "remove nocomm from the task");
    check_rank(left);
    check_rank(right);
    expect_same(Context::get().executing(), site, [&] {
        constexpr const char* names[] = {"gmove", "gmove in", "gmove out"};
        return fmt::format("{} {} = {}", names[static_cast<int>(mode)], side_words(left), side_words(right));
    });
    if (execution::checking && site != nullptr) {
        Context::get().step(*site);
        for (const XMP_Side* side : {&left, &right})
            if (side->array != nullptr) compare_logs(*static_cast<const Array*>(side->array));
    }
    const Assignment& assignment = Places::get().of(site, mode, left, right);
    if (mode == GmoveMode::collective)
        collective(assignment, async);
    else
        one_sided(assignment, async);
}

void check_something_to_move(const XMP_Side& left, const XMP_Side& right) {
    if (left.array == nullptr && right.array == nullptr)
        throw base::Error(
            fmt::format("neither {} nor {} is a global array: there is nothing to communicate", left.text, right.text),
            "Write the assignment without gmove.");
}

}  // namespace

void gmove(const XMP_Side& left, const XMP_Side& right, const int* async) {
    assign(nullptr, GmoveMode::collective, left, right, async);
}

}  // namespace kumihimo::globalview

using namespace kumihimo;
using globalview::GmoveMode;

void XMP_Gmove(const XMP_Site* site, const XMP_Side* left, const XMP_Side* right, const int* async) {
    execution::guarded(site, [&] {
        globalview::check_something_to_move(*left, *right);
        globalview::assign(site, GmoveMode::collective, *left, *right, async);
        globalview::note_assignment(site, *left);
    });
}

void XMP_Gmove_in(const XMP_Site* site, const XMP_Side* left, const XMP_Side* right, const int* async) {
    execution::guarded(site, [&] {
        globalview::assign(site, GmoveMode::in, *left, *right, async);
        globalview::note_assignment(site, *left);
    });
}

void XMP_Gmove_out(const XMP_Site* site, const XMP_Side* left, const XMP_Side* right, const int* async) {
    execution::guarded(site, [&] {
        globalview::assign(site, GmoveMode::out, *left, *right, async);
        globalview::note_assignment(site, *left);
    });
}
