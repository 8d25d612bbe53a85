#include "runtime/globalview/gmove_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "runtime/globalview/gmove_holders.hpp"

namespace kumihimo::globalview {

std::vector<int> GmoveSide::sections() const {
    std::vector<int> dimensions;
    for (std::size_t d = 0; d < subscripts.size(); ++d)
        if (subscripts[d].section) dimensions.push_back(static_cast<int>(d));
    return dimensions;
}

namespace {

using sets::Correspondence;
using Sets = std::vector<const IndexSet*>;  // positions along each section

struct Needs {
    bool pull, gather, scatter;
};

// The copies of one pair of nodes: the pieces of all sections, multiplied out.
class PartBuilder {
public:
    PartBuilder(const Holder& left, const Holder& right, const Coordinates& receiver, const Coordinates& source, Needs needs)
        : left_(left), right_(right), receiver_(left.side(), receiver), source_(right.side(), source), needs_(needs) {
        fastest_first_ = sections_by_stride();
    }

    void build(const Sets& sets, GmovePart& part) {
        pieces_.assign(sets.size(), nullptr);
        descend(sets, 0, part);
        if (right_.sections() > 0) return;
        part.elements = 1;
        part.spreads = left_.sections() > 0;
        if (needs_.gather) part.gather.emplace_back(static_cast<Index>(right_.side().element_bytes));
    }

private:
    void descend(const Sets& sets, std::size_t section, GmovePart& part) {
        if (section == sets.size()) return add(part);
        for (const sets::Piece& piece : sets[section]->pieces()) {
            pieces_[section] = &piece;
            descend(sets, section + 1, part);
        }
    }

    // The dense buffer holds the box in the order in which the right side's memory does: so copies to it and from it go through
    // it from its begin to its end.
    std::vector<Strand> dense_strands(Index& elements) const {
        std::vector<Strand> strands(pieces_.size(), Strand{0, 0, 0});
        elements = 1;
        if (right_.sections() == 0) return strands;
        for (const int k : fastest_first_) {
            strands[k] = {0, elements * pieces_[k]->length, elements};
            elements *= pieces_[k]->size();
        }
        return strands;
    }

    std::vector<int> sections_by_stride() const {
        std::vector<int> order(static_cast<std::size_t>(right_.sections()));
        std::iota(order.begin(), order.end(), 0);
        const auto stride = [&](int section) { return std::abs(source_.stride(right_.dimension(section))); };
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return stride(a) < stride(b); });
        return order;
    }

    void add(GmovePart& part) const {
        Index elements = 0;
        const std::vector<Strand> dense = dense_strands(elements);
        std::vector<Strand> to, from(pieces_.size(), Strand{0, 0, 0});
        for (std::size_t k = 0; k < pieces_.size(); ++k) {
            const int section = static_cast<int>(k);
            to.push_back(receiver_.strand(left_.dimension(section), *pieces_[k]));
            if (right_.sections() > 0) from[k] = source_.strand(right_.dimension(section), *pieces_[k]);
        }
        const std::size_t to_bytes = left_.side().element_bytes, from_bytes = right_.side().element_bytes;
        const auto to_dense = static_cast<std::ptrdiff_t>(to_bytes), from_dense = static_cast<std::ptrdiff_t>(from_bytes);
        if (needs_.pull) part.pull.push_back(copy(to_bytes, to, 1, 0, from, 1, 0));
        if (needs_.gather && right_.sections() > 0)
            part.gather.push_back(copy(from_bytes, dense, from_dense, part.elements * from_dense, from, 1, 0));
        if (needs_.scatter) {
            const Index before = right_.sections() > 0 ? part.elements : 0;
            part.scatter.push_back(copy(to_bytes, to, 1, 0, dense, to_dense, before * to_dense));
        }
        part.elements += elements;
    }

    // In the order of the dense buffer.
    Correspondence copy(std::size_t element_bytes, const std::vector<Strand>& to, std::ptrdiff_t to_unit,
                        std::ptrdiff_t to_offset, const std::vector<Strand>& from, std::ptrdiff_t from_unit,
                        std::ptrdiff_t from_offset) const {
        sets::PairedLevel levels[2 * sets::max_rank];
        std::size_t count = 0;
        for (std::size_t i = pieces_.size(); i-- > 0;) {
            const std::size_t k = right_.sections() > 0 ? static_cast<std::size_t>(fastest_first_[i]) : pieces_.size() - 1 - i;
            const sets::Piece& piece = *pieces_[k];
            to_offset += to[k].offset * to_unit;
            from_offset += from[k].offset * from_unit;
            levels[count++] = {piece.blocks, to[k].block * to_unit, from[k].block * from_unit};
            levels[count++] = {piece.length, to[k].run * to_unit, from[k].run * from_unit};
        }
        return Correspondence(static_cast<Index>(element_bytes), {levels, count}, to_offset, from_offset);
    }

    const Holder &left_, &right_;
    Block receiver_, source_;
    Needs needs_;
    std::vector<int> fastest_first_;
    std::vector<const sets::Piece*> pieces_;
};

// The part of each other node, seen from this one: my own sets meet those of any coordinate once.
class Meetings {
public:
    Meetings(Holder& left, Holder& right, bool i_receive, const Coordinates& mine)
        : left_(left), right_(right), i_receive_(i_receive), mine_(mine), met_(left.sections()) {}

    // The positions that I and a node at `other` share, or nothing.
    std::optional<Sets> with(const Coordinates& other) {
        Sets sets;
        for (int k = 0; k < left_.sections(); ++k) {
            const IndexSet& shared = meet(k, other);
            if (shared.empty()) return std::nullopt;
            sets.push_back(&shared);
        }
        return sets;
    }

private:
    const IndexSet& meet(int k, const Coordinates& other) {
        const Coordinates &receiver = i_receive_ ? mine_ : other, &source = i_receive_ ? other : mine_;
        const IndexSet& wanted = left_.held(k, left_.coordinate(k, receiver));
        if (right_.sections() == 0) return wanted;
        const Index changing = i_receive_ ? right_.coordinate(k, source) : left_.coordinate(k, receiver);
        std::optional<IndexSet>& known = Holder::at(met_[k], changing);
        if (!known) known = wanted.intersect(right_.held(k, right_.coordinate(k, source)));
        return *known;
    }

    Holder &left_, &right_;
    bool i_receive_;
    Coordinates mine_;
    std::vector<std::vector<std::optional<IndexSet>>> met_;
};

class Planner {
public:
    Planner(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways)
        : left_(left), right_(right), nodes_(nodes), ways_(ways) {}

    GmovePlan plan() {
        if (!right_.is_memory() && ways_.may_broadcast && left_.is_memory()) plan_.root = only_owner();
        if (ways_.most_together > 0 && plan_.root < 0) plan_.together = largest_of_all_parts();
        plan_incoming();
        if (!right_.is_memory()) plan_outgoing();
        return std::move(plan_);
    }

    GmovePlan plan_in() {
        one_sided_ = true;
        plan_incoming();
        return std::move(plan_);
    }

    GmovePlan plan_out(const std::vector<int>& executing) {
        one_sided_ = true;
        plan_writes(executing);
        return std::move(plan_);
    }

private:
    // The node that alone holds what everybody needs, or -1.
    int only_owner() {
        if (!right_.side().mapping->replicated_node_dimensions().empty()) return -1;
        int owner = -1;
        for (Index number = 0; number < right_.nodes(); ++number) {
            if (!right_.holds_something(right_.coordinates(number))) continue;
            if (owner >= 0) return -1;
            owner = nodes_.right_member[number];
        }
        return owner;
    }

    // Of whole sections of arrays without replicas on the executing nodes: there each two nodes' part is the product of what
    // their coordinates share of each section.
    Index largest_of_all_parts() {
        if (!is_divided(left_, nodes_.in_left) || !is_divided(right_, nodes_.in_right)) return 0;
        const Index pairs = static_cast<Index>(nodes_.count) * nodes_.count;
        Index all = 1, largest = 1, parts = 1;
        for (const int d : left_.side().sections()) all *= left_.side().subscripts[static_cast<std::size_t>(d)].range.count;
        if (all > pairs * ways_.most_together) return 0;
        for (int k = 0; k < left_.sections(); ++k) {
            Index most = 0, met = 0;
            for (Index l = 0; l < left_.coordinates_along(k); ++l)
                for (Index r = 0; r < right_.coordinates_along(k); ++r) {
                    const Index shared = left_.held(k, l).intersect(right_.held(k, r)).size();
                    most = std::max(most, shared);
                    met += shared > 0;
                }
            largest *= most;
            parts *= met;
        }
        return largest <= ways_.most_together && 2 * parts >= pairs ? largest : 0;
    }

    static bool is_divided(const Holder& holder, const std::vector<int>& in_grid) {
        if (holder.is_memory() || holder.sections() < static_cast<int>(holder.side().subscripts.size())) return false;
        return holder.side().mapping->replicated_node_dimensions().empty() &&
               holder.nodes() == static_cast<Index>(in_grid.size()) &&
               std::find(in_grid.begin(), in_grid.end(), -1) == in_grid.end();
    }

    bool reaches(int grid_number) const { return plan_.root < 0 && grid_number >= 0 && ways_.reachable(grid_number); }

    // Two-sided, the owner must know that nobody waits for its message: it asks whether it reaches the receiver's block.
    bool may_read() const { return one_sided_ || (!right_.is_memory() && nodes_.in_right[nodes_.me] >= 0); }

    Needs needs_of_receiver(bool direct) const {
        const bool straight = direct && !ways_.buffered;
        return {straight, direct && !straight, !straight || plan_.together > 0};
    }

    void plan_incoming() {
        if (!left_.is_memory() && nodes_.in_left[nodes_.me] < 0) return;
        const Coordinates mine = left_.coordinates(left_.is_memory() ? 0 : nodes_.in_left[nodes_.me]);
        if (!left_.owns_indices(mine)) return;
        Meetings meetings(left_, right_, true, mine);
        if (right_.is_memory()) {
            if (const auto shared = meetings.with({})) receive(*shared, mine, {}, nodes_.me, -1);
            return;
        }
        const Replicas replicas(*right_.side().mapping, nodes_);
        const Index sources = right_.nodes();
        for (Index turn = 0; turn < sources; ++turn) {  // each receiver begins elsewhere
            const Index number = (turn + nodes_.me) % sources;
            const Coordinates source = right_.coordinates(number);
            if (!right_.owns_indices(source)) continue;
            const auto shared = meetings.with(source);
            if (shared && replicas.chosen(number, source, nodes_.me))
                receive(*shared, mine, source, nodes_.right_member[number], static_cast<int>(number));
        }
    }

    void receive(const Sets& sets, const Coordinates& mine, const Coordinates& source, int number, int grid_number) {
        GmovePart& part = plan_.incoming.emplace_back();
        part.number = number;
        part.grid_number = grid_number;
        part.coordinates = source;
        part.direct = number == nodes_.me || (may_read() && reaches(grid_number));
        const Needs needs = one_sided_ ? needs_of_reader(part.direct) : needs_of_receiver(part.direct);
        PartBuilder(left_, right_, mine, source, needs).build(sets, part);
    }

    // A transport reads no element twice.
    Needs needs_of_reader(bool direct) const { return at_once(!ways_.buffered && (direct || right_.sections() > 0)); }
    static Needs at_once(bool pull) { return {pull, !pull, !pull}; }

    void plan_writes(const std::vector<int>& executing) {
        const int my_place = right_.is_memory() ? 0 : nodes_.in_right[nodes_.me];
        if (my_place < 0) return;
        const Coordinates mine = right_.coordinates(my_place);
        if (!right_.owns_indices(mine)) return;
        Meetings meetings(left_, right_, false, mine);
        const auto writer = writer_of(executing, mine, my_place);
        const Index receivers = left_.nodes();
        for (Index turn = 0; turn < receivers; ++turn) {
            const Index place = (turn + nodes_.me) % receivers;
            const Coordinates receiver = left_.coordinates(place);
            if (!left_.owns_indices(receiver)) continue;
            const auto shared = meetings.with(receiver);
            if (!shared || !writer(place)) continue;
            GmovePart& part = plan_.outgoing.emplace_back();
            part.number = nodes_.left_member[place];
            part.grid_number = static_cast<int>(place);
            part.coordinates = receiver;
            PartBuilder(left_, right_, receiver, mine, at_once(!ways_.buffered)).build(*shared, part);
        }
    }

    // Whether this node is the one that writes to a node of the left side's grid. What every node has, the receiver writes
    // itself if it executes.
    std::function<bool(Index)> writer_of(const std::vector<int>& executing, const Coordinates& mine, int my_place) const {
        if (right_.is_memory())
            return [&](Index place) {
                const int receiver = nodes_.left_member[place];
                const bool executes = std::find(executing.begin(), executing.end(), receiver) != executing.end();
                return nodes_.me == (executes ? receiver : executing[static_cast<std::size_t>(place) % executing.size()]);
            };
        return [this, mine, my_place, replicas = Replicas(*right_.side().mapping, nodes_)](Index place) {
            return replicas.chosen(my_place, mine, nodes_.left_member[place]);
        };
    }

    void plan_outgoing() {
        const int my_place = nodes_.in_right[nodes_.me];
        if (my_place < 0) return;
        const Coordinates mine = right_.coordinates(my_place);
        if (!right_.owns_indices(mine)) return;
        Meetings meetings(left_, right_, false, mine);
        const Replicas replicas(*right_.side().mapping, nodes_);
        for (int turn = 1; turn < nodes_.count; ++turn) {
            const int number = (nodes_.me + turn) % nodes_.count;
            const int place = left_.is_memory() ? 0 : nodes_.in_left[number];
            if (place < 0) continue;
            const Coordinates receiver = left_.coordinates(place);
            if (!left_.owns_indices(receiver)) continue;
            const auto shared = meetings.with(receiver);
            if (!shared || !replicas.chosen(my_place, mine, number)) continue;
            GmovePart& part = plan_.outgoing.emplace_back();
            part.number = number;
            part.direct = reaches(nodes_.in_right[number]);
            PartBuilder(left_, right_, receiver, mine, {false, !part.direct || plan_.together > 0, false}).build(*shared, part);
            if (plan_.root >= 0) return;  // the same for everybody
        }
    }

    Holder left_, right_;
    const GmoveNodes& nodes_;
    const GmoveWays& ways_;
    bool one_sided_ = false;
    GmovePlan plan_;
};

}  // namespace

GmovePlan plan_gmove(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways) {
    return Planner(left, right, nodes, ways).plan();
}

GmovePlan plan_gmove_in(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways) {
    return Planner(left, right, nodes, ways).plan_in();
}

GmovePlan plan_gmove_out(const GmoveSide& left, const GmoveSide& right, const GmoveNodes& nodes, const GmoveWays& ways,
                         const std::vector<int>& executing) {
    return Planner(left, right, nodes, ways).plan_out(executing);
}

Packing plan_packing(const GmoveSide& side, const Coordinates& coordinates) {
    Holder holder(side);
    GmovePart part;
    if (holder.is_memory() || holder.holds_something(coordinates)) {
        Sets sets;
        for (int k = 0; k < holder.sections(); ++k) sets.push_back(&holder.held(k, holder.coordinate(k, coordinates)));
        PartBuilder(holder, holder, coordinates, coordinates, {false, true, true}).build(sets, part);
        const std::ptrdiff_t indices = offset_of_indices(side, coordinates);
        for (Correspondence& copy : part.gather) copy = copy.moved(0, indices);
        for (Correspondence& copy : part.scatter) copy = copy.moved(indices, 0);
    }
    return {std::move(part.gather), std::move(part.scatter), part.elements};
}

int first_different_holder(const GmoveSide& side, const std::vector<int>& numbers) {
    Holder holder(side);
    const Coordinates first = holder.coordinates(numbers.front());
    const auto same = [&](const Coordinates& other) {
        if (other == first) return true;
        const bool something = holder.holds_something(first);
        if (something != holder.holds_something(other)) return false;
        for (int k = 0; something && k < holder.sections(); ++k)
            if (holder.held(k, holder.coordinate(k, first)).pieces() != holder.held(k, holder.coordinate(k, other)).pieces())
                return false;
        return true;
    };
    for (std::size_t i = 1; i < numbers.size(); ++i)
        if (!same(holder.coordinates(numbers[i]))) return static_cast<int>(i);
    return -1;
}

std::vector<int> absent_owners(const GmoveSide& side, const std::vector<int>& member, bool any_replica) {
    std::vector<int> absent;
    if (side.mapping == nullptr) return absent;
    Holder holder(side);
    const GmoveNodes nobody;
    const Replicas replicas(*side.mapping, nobody);
    for (Index number = 0; number < holder.nodes(); ++number) {
        if (member[number] >= 0) continue;
        const Coordinates coordinates = holder.coordinates(number);
        if (!holder.holds_something(coordinates)) continue;
        if (!any_replica || !replicas.any_executes(coordinates, member)) absent.push_back(static_cast<int>(number));
    }
    return absent;
}

}  // namespace kumihimo::globalview
