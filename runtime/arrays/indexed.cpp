// xmp_gather and xmp_scatter: subscripts that are data. Each node looks up where the elements are that its subscripts name, and
// asks their nodes for them, or sends its own there; so many at a time that the messages need little memory.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/exchange.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/locator.hpp"
#include "runtime/arrays/work.hpp"

namespace kumihimo::arrays {

namespace {

using execution::Context;

constexpr Index most_at_once = Index{1} << 20;

void check(const Operand& named, const Operand& shaped, const std::vector<Operand>& subscripts) {
    check_same_type(named, shaped);
    if (static_cast<int>(subscripts.size()) != named.rank())
        throw base::Error(fmt::format("{} has {}, but {} given", named.text(), base::counted(named.rank(), "dimension"),
                                      subscripts.size() == 1 ? "one array of subscripts is"
                                                             : fmt::format("{} arrays of subscripts are", subscripts.size())),
                          "One array of subscripts for each dimension, the first dimension first.");
    for (const Operand& subscript : subscripts) {
        check_integers(subscript);
        check_same_shape(subscript, shaped);
    }
}

// All nodes take part in as many rounds as the one with most elements needs.
Index rounds_of(Team& team, Index elements) {
    Index rounds = (elements + most_at_once - 1) / most_at_once;
    team.allreduce(teams::operation_of(XMP_MAX, XMP_TYPE_LONGLONG), &rounds, 1);
    return rounds;
}

// The subscripts of this node's elements, in the order of a work array's block.
class Subscripts {
public:
    Subscripts(const Operand& named, const std::vector<Operand>& given, const Layout& layout, sets::Order order)
        : named_(named), given_(given) {
        for (const Operand& subscript : given) {
            arrays_.emplace_back(layout, Element{XMP_TYPE_LONGLONG, sizeof(Index)}, order, subscript.extents());
            assign(arrays_.back().whole(), subscript.whole());
        }
    }
    Index elements() const { return arrays_.front().local_elements(); }

    // The positions that they name, which count from 0.
    void at(Index element, Index* positions) const {
        for (std::size_t d = 0; d < arrays_.size(); ++d) {
            const Index subscript = arrays_[d].data_as<Index>()[element];
            const Index lower = named_.lower(static_cast<int>(d)), upper = lower + named_.extent(static_cast<int>(d)) - 1;
            if (subscript < lower || subscript > upper)
                throw base::Error(fmt::format("{} contains {}, but dimension {} of {} has the subscripts {} to {}",
                                              given_[d].text(), subscript, d + 1, named_.text(), lower, upper));
            positions[d] = subscript - lower;
        }
    }

private:
    const Operand& named_;
    const std::vector<Operand>& given_;
    std::vector<WorkArray> arrays_;
};

// The elements of one round, sorted by the nodes that they are on.
struct Requests {
    std::vector<Index> counts;            // of each node
    std::vector<Index> elements;          // of this node, by node
    std::vector<std::ptrdiff_t> offsets;  // in the node's block, likewise

    Requests(const Subscripts& subscripts, const Locator& locator, int nodes, Index begin, Index end)
        : counts(static_cast<std::size_t>(nodes), 0),
          elements(static_cast<std::size_t>(end - begin)),
          offsets(elements.size()) {
        std::vector<Locator::Place> places;
        places.reserve(elements.size());
        Index positions[sets::max_rank];
        for (Index element = begin; element < end; ++element) {
            subscripts.at(element, positions);
            places.push_back(locator.of(positions));
            ++counts[static_cast<std::size_t>(places.back().node)];
        }
        std::vector<std::size_t> next(counts.size(), 0);
        for (std::size_t node = 1; node < next.size(); ++node)
            next[node] = next[node - 1] + static_cast<std::size_t>(counts[node - 1]);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::size_t place = next[static_cast<std::size_t>(places[i].node)]++;
            elements[place] = begin + static_cast<Index>(i);
            offsets[place] = places[i].offset;
        }
    }
};

// Calls use(requests) as often as all nodes together need.
template <typename Use>
void in_rounds(Team& team, const Subscripts& subscripts, const Locator& locator, Use&& use) {
    const Index elements = subscripts.elements(), rounds = rounds_of(team, elements);
    for (Index round = 0; round < rounds; ++round) {
        const Index begin = std::min(elements, round * most_at_once), end = std::min(elements, begin + most_at_once);
        use(Requests(subscripts, locator, team.size(), begin, end));
    }
}

std::vector<std::ptrdiff_t> offsets_asked(const Exchange& exchange, const Requests& requests) {
    std::vector<std::ptrdiff_t> asked(static_cast<std::size_t>(exchange.received()));
    exchange.forward(requests.offsets.data(), asked.data(), sizeof(std::ptrdiff_t));
    return asked;
}

// Element i from from(i) to to(i).
template <typename To, typename From>
void copy_elements(std::size_t count, std::size_t bytes, To&& to, From&& from) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to(i), from(i), bytes);
}

void gather_from_nodes(Team& team, const Operand& a, const Subscripts& subscripts, WorkArray& result) {
    const std::size_t bytes = a.element_bytes();
    const Locator locator(*a.array());
    in_rounds(team, subscripts, locator, [&](const Requests& requests) {
        const Exchange exchange(team, requests.counts);
        const std::vector<std::ptrdiff_t> asked = offsets_asked(exchange, requests);
        std::vector<std::byte> answers(asked.size() * bytes), values(requests.elements.size() * bytes);
        copy_elements(
            asked.size(), bytes, [&](std::size_t i) { return answers.data() + i * bytes; },
            [&](std::size_t i) { return a.base() + asked[i]; });
        exchange.back(answers.data(), values.data(), bytes);
        copy_elements(
            requests.elements.size(), bytes,
            [&](std::size_t i) { return result.data() + static_cast<std::size_t>(requests.elements[i]) * bytes; },
            [&](std::size_t i) { return values.data() + i * bytes; });
    });
}

// Every node has all of it.
void gather_here(const Operand& a, const Subscripts& subscripts, WorkArray& result) {
    const std::size_t bytes = a.element_bytes();
    Index positions[sets::max_rank];
    for (Index element = 0; element < subscripts.elements(); ++element) {
        subscripts.at(element, positions);
        const std::byte* place = a.base();
        for (int d = 0; d < a.rank(); ++d) place += positions[d] * a.strides()[static_cast<std::size_t>(d)];
        std::memcpy(result.data() + static_cast<std::size_t>(element) * bytes, place, bytes);
    }
}

void scatter_to_nodes(Team& team, const Operand& a, const Subscripts& subscripts, const WorkArray& values,
                      const execution::Array& target) {
    const std::size_t bytes = a.element_bytes();
    const Locator locator(target);
    in_rounds(team, subscripts, locator, [&](const Requests& requests) {
        const Exchange exchange(team, requests.counts);
        const std::vector<std::ptrdiff_t> places = offsets_asked(exchange, requests);
        std::vector<std::byte> sent(requests.elements.size() * bytes), received(places.size() * bytes);
        copy_elements(
            requests.elements.size(), bytes, [&](std::size_t i) { return sent.data() + i * bytes; },
            [&](std::size_t i) { return values.data() + static_cast<std::size_t>(requests.elements[i]) * bytes; });
        exchange.forward(sent.data(), received.data(), bytes);
        copy_elements(
            places.size(), bytes, [&](std::size_t i) { return static_cast<std::byte*>(target.base) + places[i]; },
            [&](std::size_t i) { return received.data() + i * bytes; });
    });
}

}  // namespace

void gather(const Operand& x, const Operand& a, const std::vector<Operand>& subscripts) {
    check(a, x, subscripts);
    const Layout layout = Layout::like(x);
    const Subscripts wanted(a, subscripts, layout, x.order());
    WorkArray result(layout, element_of(x), x.order(), x.extents());
    if (a.array() != nullptr)
        gather_from_nodes(Team::of(Context::get().executing()), a, wanted, result);
    else
        gather_here(a, wanted, result);
    assign(x.whole(), result.whole());
}

void scatter(const Operand& x, const Operand& a, const std::vector<Operand>& subscripts) {
    check(x, a, subscripts);
    Team& team = Team::of(Context::get().executing());
    const Layout layout = Layout::like(a);
    const Subscripts places(x, subscripts, layout, a.order());
    WorkArray values(layout, element_of(a), a.order(), a.extents());
    assign(values.whole(), a.whole());
    if (Layout::lies_alone(x)) return scatter_to_nodes(team, a, places, values, *x.array());
    WorkArray target(Layout::blocks(x.extents()), element_of(x), x.order(), x.extents());  // one that nobody else has, too
    assign(target.whole(), x.whole());
    scatter_to_nodes(team, a, places, values, target.array());
    assign(x.whole(), target.whole());
}

}  // namespace kumihimo::arrays
