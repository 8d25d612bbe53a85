// The account of an array's shadow against a simulation that keeps an age for every single element.
#include "runtime/globalview/shadow_account.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/random.hpp"

using namespace kumihimo::globalview;
using namespace kumihimo::sets;

namespace {

constexpr int rank = 2;

struct Layout {
    ArrayMapping mapping;
    std::vector<Index> coordinates;
    std::vector<Shadow> shadow;
    std::vector<Index> extents;
};

Distribution spread(kumihimo::support::Random& random, Index extent, Index nodes, bool full) {
    switch (random.between(0, full ? 2 : 1)) {
        case 0:
            return Distribution::block(0, extent - 1, nodes);
        case 1: {
            std::vector<Index> sizes(nodes, extent / nodes);
            sizes[random.between(0, nodes - 1)] += extent % nodes;
            return Distribution::gblock(0, sizes);
        }
        default:
            return Distribution::cyclic(0, extent - 1, nodes, random.between(1, 3));
    }
}

Layout random_layout(kumihimo::support::Random& random) {
    Layout layout;
    std::vector<Distribution> dimensions;
    std::vector<Index> grid, lower, upper;
    for (int d = 0; d < rank; ++d) {
        const Index nodes = random.between(1, 3), extent = random.between(3, 9);
        const bool full = random.between(0, 4) == 0;
        dimensions.push_back(spread(random, extent, nodes, full));
        layout.shadow.push_back(full ? Shadow{0, 0, true} : Shadow{random.between(0, 2), random.between(0, 2), false});
        grid.push_back(nodes), lower.push_back(0), upper.push_back(extent - 1), layout.extents.push_back(extent);
        layout.coordinates.push_back(random.between(0, nodes - 1));
    }
    TemplateMapping target(NodeGrid(grid, Order::row_major), dimensions, {0, 1});
    layout.mapping = ArrayMapping(std::move(target), lower, upper, {{0, 0}, {1, 0}}, layout.shadow, Order::row_major);
    return layout;
}

using Element = std::vector<Index>;

// What all nodes store: which version of every element, counted by its owner.
class Simulation {
public:
    explicit Simulation(const Layout& layout) : layout_(layout) {
        const std::vector<Index>& grid = layout.mapping.target().grid().extents();
        for (Index k = 0; k < grid[0]; ++k)
            for (Index l = 0; l < grid[1]; ++l) nodes_.push_back({k, l});
    }
    bool stores(const Element& node) const { return !owned(node, 0).empty() && !owned(node, 1).empty(); }
    bool stores() const { return stores(layout_.coordinates); }

    void written(const Box& box) {
        for (Index i = 0; i < layout_.extents[0]; ++i)
            for (Index j = 0; j < layout_.extents[1]; ++j)
                if (box[0].contains(i) && box[1].contains(j)) ++versions_[{i, j}];
    }

    void filled(const std::vector<ReflectWidth>& widths, bool orthogonal) {
        const auto before = copies_;
        for (const Element& node : nodes_) {
            if (!stores(node)) continue;
            for_each_of_the_shadow(node, [&](const Element& element) {
                Element source = node, image = element;
                int updated = 0, carried = 0;
                for (int d = 0; d < rank; ++d) {
                    const IndexSet mine = owned(node, d);
                    if (mine.contains(element[d])) continue;
                    const bool beyond = element[d] < 0 || element[d] >= layout_.extents[d];
                    const bool within = widths[d].full || (element[d] >= mine.lowest() - widths[d].lower &&
                                                           element[d] <= mine.highest() + widths[d].upper);
                    if (!within || (beyond && !widths[d].periodic)) {
                        ++carried;
                        if (within) return;  // beyond the ends of the array nothing is carried within the widths
                        continue;
                    }
                    ++updated;
                    image[d] = (element[d] + 4 * layout_.extents[d]) % layout_.extents[d];
                    source[d] = layout_.mapping.target().dimension(d).owner(image[d]);
                }
                if (updated == 0 || (orthogonal && updated + carried > 1)) return;
                const auto there = before.find({source, image});
                copies_[{node, element}] = carried == 0            ? version(image)
                                           : there == before.end() ? unknown(image)
                                                                   : there->second;
            });
        }
    }

    // Whether this node's copy of an element is too old.
    bool outdated(const Element& element) const {
        if (owned(layout_.coordinates, 0).contains(element[0]) && owned(layout_.coordinates, 1).contains(element[1]))
            return false;
        const bool corner =
            !owned(layout_.coordinates, 0).contains(element[0]) && !owned(layout_.coordinates, 1).contains(element[1]);
        if (corner && unknown(element) < 0) return false;  // of these nothing is said
        Element image = element;
        for (int d = 0; d < rank; ++d) image[d] = (element[d] + 4 * layout_.extents[d]) % layout_.extents[d];
        const auto copy = copies_.find({layout_.coordinates, element});
        return (copy == copies_.end() ? unknown(element) : copy->second) < version(image);
    }

    template <typename Visit>
    void for_each_of_the_shadow(const Element& node, const Visit& visit) const {
        for (Index i = first(node, 0); i <= last(node, 0); ++i)
            for (Index j = first(node, 1); j <= last(node, 1); ++j)
                if (!owned(node, 0).contains(i) || !owned(node, 1).contains(j)) visit({i, j});
    }

    Index first(const Element& node, int d) const {
        return layout_.shadow[d].full ? 0 : owned(node, d).lowest() - layout_.shadow[d].lower;
    }
    Index last(const Element& node, int d) const {
        return layout_.shadow[d].full ? layout_.extents[d] - 1 : owned(node, d).highest() + layout_.shadow[d].upper;
    }

private:
    IndexSet owned(const Element& node, int d) const { return layout_.mapping.owned(d, node[d]); }
    int version(const Element& element) const {
        const auto found = versions_.find(element);
        return found == versions_.end() ? 0 : found->second;
    }
    // Of an element that nothing has filled: as old as the first value, beyond the ends of the array older.
    int unknown(const Element& element) const {
        for (int d = 0; d < rank; ++d)
            if (element[d] < 0 || element[d] >= layout_.extents[d]) return -1;
        return 0;
    }

    const Layout& layout_;
    std::vector<Element> nodes_;
    std::map<Element, int> versions_;
    std::map<std::pair<Element, Element>, int> copies_;
};

Box random_box(kumihimo::support::Random& random, const std::vector<std::pair<Index, Index>>& bounds) {
    Box box;
    for (const auto& [lower, upper] : bounds) {
        const Index from = random.between(lower, upper), to = random.between(from, upper);
        box.push_back(IndexSet::of(Range::triplet(from, to, random.between(1, 3) == 1 ? 2 : 1)));
    }
    return box;
}

TEST(ShadowAccount, agrees_with_every_element) {
    kumihimo::support::Random random;
    static const XMP_Site sites[3] = {{"a.c", 1, ""}, {"a.c", 2, ""}, {"a.c", 3, ""}};
    int outdated = 0, asked = 0;
    for (int trial = 0; trial < 150; ++trial) {
        const Layout layout = random_layout(random);
        ShadowAccount account(layout.mapping, layout.coordinates);
        Simulation simulation(layout);
        if (!simulation.stores()) continue;
        const Element& node = layout.coordinates;
        const std::vector<std::pair<Index, Index>> all{{0, layout.extents[0] - 1}, {0, layout.extents[1] - 1}};
        const std::vector<std::pair<Index, Index>> here{{simulation.first(node, 0), simulation.last(node, 0)},
                                                        {simulation.first(node, 1), simulation.last(node, 1)}};
        for (int step = 0; step < 40; ++step) {
            const auto what = random.between(0, 3);
            if (what == 0) {
                const Box box = random_box(random, all);
                account.written(&sites[random.between(0, 2)], box);
                simulation.written(box);
            } else if (what == 1) {
                std::vector<ReflectWidth> widths;
                for (const Shadow& shadow : layout.shadow)
                    widths.push_back({shadow.full ? 0 : random.between(0, shadow.lower),
                                      shadow.full ? 0 : random.between(0, shadow.upper), shadow.full,
                                      !shadow.full && random.between(0, 2) == 0});
                const bool orthogonal = random.between(0, 3) == 0;
                account.filled(widths, orthogonal);
                simulation.filled(widths, orthogonal);
            } else {
                const Box box = random_box(random, here);
                bool expected = false;
                simulation.for_each_of_the_shadow(node, [&](const Element& element) {
                    if (box[0].contains(element[0]) && box[1].contains(element[1]))
                        expected = expected || simulation.outdated(element);
                });
                const auto found = account.outdated(box);
                ++asked, outdated += expected;
                ASSERT_EQ(found.has_value(), expected) << "trial " << trial << " step " << step;
                if (found) {
                    ASSERT_TRUE(simulation.outdated(found->element)) << found->element[0] << ", " << found->element[1];
                }
            }
        }
    }
    EXPECT_GT(outdated, asked / 10);
    EXPECT_LT(outdated, asked * 9 / 10);
}

}  // namespace
