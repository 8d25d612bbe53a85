// reflect and reduce_shadow against a serial rule: what a shadow element must hold, and which element it is added to, is
// computed from its global indices alone.
#include <cstring>
#include <map>

#include "program.hpp"

namespace {
int agreements = 0;  // collective calls of this process
}

extern "C" int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                             MPI_Comm communicator) {
    ++agreements;
    return PMPI_Allreduce(mine, all, count, type, operation, communicator);
}

extern "C" int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int count_of_each,
                             MPI_Datatype type_of_each, MPI_Comm communicator) {
    ++agreements;
    return PMPI_Allgather(mine, count, type, all, count_of_each, type_of_each, communicator);
}

namespace kumihimo::test {
namespace {

// An array dimension as the test knows it.
struct ArrayDimension {
    Index lower, upper;
    int node_dimension = -1;
    Index offset = 0;  // alignment
    TestDimension target;
    XMP_Width shadow{}, width{};
    bool full() const { return shadow.modifier == XMP_WIDTH_FULL; }
    Index extent() const { return upper - lower + 1; }
    Index owner(Index index) const { return node_dimension < 0 ? 0 : target.owner(index + offset); }

    std::vector<Index> owned(Index coordinate) const {
        std::vector<Index> list;
        for (Index i = lower; i <= upper; ++i)
            if (owner(i) == coordinate) list.push_back(i);
        return list;
    }

    // What is stored at each place of the allocated block: a global index, maybe beyond the bounds.
    std::vector<Index> stored(Index coordinate) const {
        std::vector<Index> list = owned(coordinate);
        if (full()) {
            list.clear();
            for (Index i = lower; i <= upper; ++i) list.push_back(i);
        } else if (!list.empty()) {
            for (Index k = 1; k <= shadow.lower; ++k) list.insert(list.begin(), list.front() - 1);
            for (Index k = 1; k <= shadow.upper; ++k) list.push_back(list.back() + 1);
        }
        return list;
    }

    enum class Part { inner, updated, left_alone };
    struct Fate {
        Part part;
        Index image;
    };
    // Whether the element at this index is updated on the node, and from which element.
    Fate fate(Index coordinate, Index index) const {
        const std::vector<Index> mine = owned(coordinate);
        const bool inside = index >= lower && index <= upper;
        if (inside && owner(index) == coordinate && std::find(mine.begin(), mine.end(), index) != mine.end() &&
            (mine.empty() || (index >= mine.front() && index <= mine.back())))
            return {Part::inner, index};
        if (full() && width.modifier == XMP_WIDTH_FULL) return {Part::updated, index};
        if (mine.empty()) return {Part::left_alone, 0};
        const Index reach = index < mine.front() ? width.lower - (mine.front() - index) : width.upper - (index - mine.back());
        if (reach < 0) return {Part::left_alone, 0};
        if (inside) return {Part::updated, index};
        if (width.modifier != XMP_WIDTH_PERIODIC) return {Part::left_alone, 0};
        Index image = index;
        while (image < lower) image += extent();
        while (image > upper) image -= extent();
        return {Part::updated, image};
    }
};

struct Sized {
    int type;
    std::size_t bytes;
};
constexpr Sized element_types[] = {{XMP_TYPE_CHAR, 1},   {XMP_TYPE_SHORT, 2},           {XMP_TYPE_FLOAT, 4},
                                   {XMP_TYPE_DOUBLE, 8}, {XMP_TYPE_DOUBLE_COMPLEX, 16}, {XMP_TYPE_OTHER, 12}};

const Sized& any_type(Random& random) {
    return element_types[random.between(0, std::size(element_types) - 1)];
}

class ShadowedArray {
public:
    ShadowedArray(Random& random, XMP_Nodes* nodes, XMP_Template* target, const std::vector<TestDimension>& dimensions,
                  const Sized& element, bool full_shadows = true)
        : nodes_(nodes), element_(element) {
        std::vector<int> free;
        for (std::size_t d = 0; d < dimensions.size(); ++d) free.push_back(static_cast<int>(d));
        const auto rank = static_cast<int>(random.between(1, 4));
        for (int d = 0; d < rank; ++d) {
            ArrayDimension one;
            align_.push_back({-1, 0});
            if (!free.empty() && !random.one_in(5)) {
                const auto choice = static_cast<std::size_t>(random.between(0, static_cast<Index>(free.size()) - 1));
                const int onto = free[choice];
                free.erase(free.begin() + static_cast<std::ptrdiff_t>(choice));
                one.target = dimensions[static_cast<std::size_t>(onto)];
                one.node_dimension = one.target.kind == XMP_NOT_DISTRIBUTED ? -1 : onto;
                one.offset = random.between(-3, 3);
                align_.back() = {onto, one.offset};
                const bool whole = random.one_in(2);
                one.lower = (whole ? one.target.lower : random.between(one.target.lower, one.target.upper)) - one.offset;
                one.upper = whole ? one.target.upper - one.offset : random.between(one.lower, one.target.upper - one.offset);
            } else {
                one.lower = random.between(-2, 2);
                one.upper = one.lower + random.between(0, 4);
            }
            choose_shadow(random, one, full_shadows);
            dimension_.push_back(one);
        }
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Width> shadow;
        for (const ArrayDimension& one : dimension_) {
            bounds.push_back({one.lower, one.upper});
            shadow.push_back(one.shadow);
        }
        order_ = random.one_in(3) ? XMP_COLUMN_MAJOR : XMP_ROW_MAJOR;
        array_ = XMP_Array_declare(XMP_SITE("align a"), "a", order_, element_.type, element_.bytes, rank, bounds.data(), target,
                                   align_.data(), shadow.data());
    }
    ~ShadowedArray() { XMP_Array_release(&array_); }
    ShadowedArray(const ShadowedArray&) = delete;

    XMP_Array* array() const { return array_; }
    bool column_major() const { return order_ == XMP_COLUMN_MAJOR; }
    int rank() const { return static_cast<int>(dimension_.size()); }

    void choose_width(Random& random) {
        for (ArrayDimension& one : dimension_) {
            if (one.full()) {
                const bool all = one.target.kind == XMP_CYCLIC || random.one_in(2);
                one.width = all ? XMP_Width{0, 0, XMP_WIDTH_FULL}
                                : XMP_Width{random.between(0, 3), random.between(0, 3), XMP_WIDTH_PLAIN};
            } else {
                one.width = {random.between(0, one.shadow.lower), random.between(0, one.shadow.upper),
                             random.one_in(2) ? XMP_WIDTH_PERIODIC : XMP_WIDTH_PLAIN};
            }
        }
    }
    void whole_width() {
        for (ArrayDimension& one : dimension_) one.width = one.shadow;
    }
    std::vector<XMP_Width> widths() const {
        std::vector<XMP_Width> list;
        for (const ArrayDimension& one : dimension_) list.push_back(one.width);
        return list;
    }
    std::vector<XMP_Width> widths_of_one(int d) const {
        std::vector<XMP_Width> list(dimension_.size(), XMP_Width{0, 0, XMP_WIDTH_PLAIN});
        list[static_cast<std::size_t>(d)] = dimension_[static_cast<std::size_t>(d)].width;
        return list;
    }

    void fill(int version) {
        visit([&](std::byte* place, const std::vector<Index>& indices) {
            bool inner = true;
            for (int d = 0; d < rank(); ++d) inner = inner && fate(d, indices[d]).part == ArrayDimension::Part::inner;
            if (inner)
                write(place, indices, version);
            else
                std::memset(place, untouched, element_.bytes);
        });
    }

    void check(int version, bool orthogonal, int round) {
        int wrong = 0;
        visit([&](std::byte* place, const std::vector<Index>& indices) {
            const auto [updated, outer, image] = mirrored(nodes_->coordinates, indices, orthogonal);
            std::byte expected[16];
            std::memset(expected, untouched, sizeof expected);
            if (updated) write(expected, image, version);
            wrong += std::memcmp(place, expected, element_.bytes) != 0;
        });
        EXPECT_EQ(wrong, 0) << "round " << round << " node " << my_node() << " " << text();
    }

    // ---- reduce_shadow: every place of every node has a number ----
    void fill_numbers(int version) {
        visit([&](std::byte* place, const std::vector<Index>& indices) {
            write_number(place, number(version, nodes_->coordinates, indices));
        });
    }

    void check_sums(int version, bool orthogonal, int round) {
        std::map<std::vector<Index>, int> added;  // by element, from all shadows of the nodes that share my replica
        for (Index node = 0; node < nodes_->grid.size(); ++node) {
            const std::vector<Index> coordinates = nodes_->grid.coordinates(node);
            if (!same_replica(coordinates)) continue;
            visit(
                [&](std::byte*, const std::vector<Index>& indices) {
                    const auto [updated, outer, image] = mirrored(coordinates, indices, orthogonal);
                    if (updated && outer > 0) added[image] += number(version, coordinates, indices);
                },
                coordinates);
        }
        int wrong = 0;
        visit([&](std::byte* place, const std::vector<Index>& indices) {
            int expected = number(version, nodes_->coordinates, indices);
            if (mirrored(nodes_->coordinates, indices, false).outer == 0 && inside(indices)) expected += added[indices];
            std::byte bytes[16];
            write_number(bytes, expected);
            wrong += std::memcmp(place, bytes, element_.bytes) != 0;
        });
        EXPECT_EQ(wrong, 0) << "round " << round << " node " << my_node() << " " << text();
    }

private:
    struct Mirrored {
        bool updated;
        int outer;  // dimensions in whose shadow it lies
        std::vector<Index> image;
    };
    Mirrored mirrored(const std::vector<Index>& coordinates, const std::vector<Index>& indices, bool orthogonal) const {
        Mirrored result{true, 0, {}};
        for (int d = 0; d < rank(); ++d) {
            const auto one = dimension_[d].fate(coordinate(d, coordinates), indices[d]);
            result.updated = result.updated && one.part != ArrayDimension::Part::left_alone;
            result.outer += one.part == ArrayDimension::Part::updated;
            result.image.push_back(one.image);
        }
        if (orthogonal && result.outer > 1) result.updated = false;
        return result;
    }
    bool inside(const std::vector<Index>& indices) const {
        for (int d = 0; d < rank(); ++d)
            if (fate(d, indices[d]).part != ArrayDimension::Part::inner) return false;
        return true;
    }
    bool same_replica(const std::vector<Index>& coordinates) const {
        for (std::size_t g = 0; g < coordinates.size(); ++g) {
            const bool named = std::any_of(dimension_.begin(), dimension_.end(), [&](const ArrayDimension& one) {
                return one.node_dimension == static_cast<int>(g);
            });
            if (!named && coordinates[g] != nodes_->coordinates[g]) return false;
        }
        return true;
    }
    static int number(int version, const std::vector<Index>& coordinates, const std::vector<Index>& indices) {
        std::uint64_t hash = 7u + static_cast<unsigned>(version);
        for (const Index one : coordinates) hash = hash * 31 + static_cast<std::uint64_t>(one);
        for (const Index one : indices) hash = hash * 131 + static_cast<std::uint64_t>(one + 1000);
        return static_cast<int>(hash * 6364136223846793005u >> 57);  // small: sums are exact in every type
    }
    void write_number(std::byte* place, int value) const {
        const double real = value;
        const double pair[2] = {real, 0};
        const auto narrow = static_cast<short>(value);
        const auto single = static_cast<float>(value);
        const void* const source = element_.type == XMP_TYPE_SHORT   ? static_cast<const void*>(&narrow)
                                   : element_.type == XMP_TYPE_FLOAT ? static_cast<const void*>(&single)
                                                                     : static_cast<const void*>(pair);
        std::memcpy(place, source, element_.bytes);
    }

    static void choose_shadow(Random& random, ArrayDimension& one, bool full_shadows) {
        if (full_shadows && random.one_in(6))
            one.shadow = {0, 0, XMP_WIDTH_FULL};
        else if (one.target.kind != XMP_CYCLIC || one.node_dimension < 0)
            one.shadow = {random.between(0, 4), random.between(0, 4), XMP_WIDTH_PLAIN};
    }

    Index coordinate(int d, const std::vector<Index>& coordinates) const {
        return dimension_[d].node_dimension < 0 ? 0 : coordinates[dimension_[d].node_dimension];
    }
    ArrayDimension::Fate fate(int d, Index index) const {
        return dimension_[d].fate(coordinate(d, nodes_->coordinates), index);
    }

    template <typename Visit>
    void visit(Visit&& each) {
        visit(each, nodes_->coordinates);
    }
    // What a node stores; places are those of this node.
    template <typename Visit>
    void visit(Visit&& each, const std::vector<Index>& coordinates) {
        std::vector<std::vector<Index>> stored;
        Index count = 1;
        for (int d = 0; d < rank(); ++d) {
            stored.push_back(dimension_[d].stored(coordinate(d, coordinates)));
            count *= static_cast<Index>(stored.back().size());
        }
        for (Index k = 0; k < count; ++k) {
            std::vector<Index> indices(stored.size());
            Index rest = k;
            for (int place = 0; place < rank(); ++place) {
                const int d = column_major() ? place : rank() - 1 - place;
                indices[d] = stored[d][static_cast<std::size_t>(rest) % stored[d].size()];
                rest /= static_cast<Index>(stored[d].size());
            }
            each(static_cast<std::byte*>(array_->base) + k * static_cast<Index>(element_.bytes), indices);
        }
    }

    void write(std::byte* place, const std::vector<Index>& indices, int version) const {
        std::uint64_t hash = 1469598103934665603u + static_cast<unsigned>(version);
        for (const Index index : indices) hash = (hash ^ static_cast<std::uint64_t>(index + 1000)) * 1099511628211u;
        std::byte bytes[16];
        std::memcpy(bytes, &hash, 8);
        hash *= 6364136223846793005u;
        std::memcpy(bytes + 8, &hash, 8);
        std::memcpy(place, bytes, element_.bytes);
    }

    std::string text() const {
        std::string all = "element " + std::to_string(element_.bytes) + (column_major() ? " column-major" : "");
        for (const ArrayDimension& one : dimension_)
            all += "; " + std::to_string(one.lower) + ":" + std::to_string(one.upper) + " kind " +
                   std::to_string(one.target.kind) + " on " + std::to_string(one.node_dimension) + " of " +
                   std::to_string(one.target.nodes) + " shadow " + std::to_string(one.shadow.lower) + ":" +
                   std::to_string(one.shadow.upper) + "/" + std::to_string(one.shadow.modifier) + " width " +
                   std::to_string(one.width.lower) + ":" + std::to_string(one.width.upper) + "/" +
                   std::to_string(one.width.modifier);
        return all;
    }

    XMP_Nodes* nodes_;
    Sized element_;
    int order_ = XMP_ROW_MAJOR;
    std::vector<ArrayDimension> dimension_;
    std::vector<XMP_Align> align_;
    XMP_Array* array_ = nullptr;
};

// A node array, a template on it and what the test knows of both.
struct Layout {
    XMP_Nodes* nodes;
    XMP_Template* target;
    std::vector<TestDimension> dimensions;

    explicit Layout(Random& random) {
        const std::vector<Index> grid = random_grid(random, 3);
        nodes = declare_nodes(grid, random.one_in(2) ? XMP_ROW_MAJOR : XMP_COLUMN_MAJOR);
        std::vector<XMP_Bounds> bounds;
        std::vector<XMP_Format> formats;
        for (std::size_t g = 0; g < grid.size(); ++g) {
            dimensions.push_back(TestDimension::random(random, grid[g], grid.size() == 1 ? 40 : 12));
            bounds.push_back({dimensions.back().lower, dimensions.back().upper});
        }
        for (std::size_t g = 0; g < grid.size(); ++g) formats.push_back(dimensions[g].format(static_cast<int>(g)));
        target = declare_template(nodes, bounds, formats);
    }
    ~Layout() {
        XMP_Template_release(&target);
        XMP_Nodes_release(&nodes);
    }
    Layout(const Layout&) = delete;
};

using Exchange = void (*)(const XMP_Site*, int, XMP_Array* const*, const XMP_Width*, int, const int*);

void exchange(Exchange function, const ShadowedArray& array, const XMP_Width* widths, bool orthogonal, bool later) {
    const int id = 5;
    XMP_Array* const list[] = {array.array()};
    function(XMP_SITE("reflect (a)"), 1, list, widths, orthogonal ? XMP_REFLECT_ORTHOGONAL : 0, later ? &id : nullptr);
    if (later) XMP_Wait_async(XMP_SITE("wait_async"), 1, &id, nullptr);
}

// Several exchanges of one array with changing values, with widths and corners as chance has it.
template <typename Exchange, typename Fill, typename Check>
void in_versions(Random& random, ShadowedArray& array, int round, Exchange&& operation, Fill fill, Check check) {
    const bool orthogonal = random.one_in(3), whole = random.one_in(3);
    if (whole)
        array.whole_width();
    else
        array.choose_width(random);
    const std::vector<XMP_Width> widths = array.widths();
    for (int version = 0; version < 4; ++version) {
        (array.*fill)(version);
        exchange(operation, array, whole ? nullptr : widths.data(), orthogonal, version == 2);
        (array.*check)(version, orthogonal, round);
    }
}

TEST(Reflect, RandomArraysAgainstASerialRule) {
    Random random(10);
    for (int round = 0; round < rounds(50); ++round) {
        const Layout layout(random);
        ShadowedArray array(random, layout.nodes, layout.target, layout.dimensions, any_type(random));
        in_versions(random, array, round, XMP_Reflect, &ShadowedArray::fill, &ShadowedArray::check);
    }
}

// One dimension after the other: the corners are filled, as by one reflect of all; not by orthogonal ones.
TEST(Reflect, OneDimensionAfterTheOtherFillsTheCorners) {
    Random random(11);
    for (int round = 0; round < rounds(30); ++round) {
        const Layout layout(random);
        ShadowedArray array(random, layout.nodes, layout.target, layout.dimensions, any_type(random), false);
        for (int version = 0; version < 3; ++version) {
            array.choose_width(random);
            const bool orthogonal = version == 2;
            array.fill(version);
            for (int d = 0; d < array.rank(); ++d)
                exchange(XMP_Reflect, array, array.widths_of_one(d).data(), orthogonal, random.one_in(4));
            array.check(version, orthogonal, round);
        }
    }
}

TEST(ReduceShadow, RandomArraysAgainstASerialRule) {
    Random random(12);
    const Sized numbers[] = {{XMP_TYPE_SHORT, 2}, {XMP_TYPE_FLOAT, 4}, {XMP_TYPE_DOUBLE, 8}, {XMP_TYPE_DOUBLE_COMPLEX, 16}};
    for (int round = 0; round < rounds(40); ++round) {
        const Layout layout(random);
        ShadowedArray array(random, layout.nodes, layout.target, layout.dimensions, numbers[random.between(0, 3)]);
        in_versions(random, array, round, XMP_Reduce_shadow, &ShadowedArray::fill_numbers, &ShadowedArray::check_sums);
    }
}

// Many exchanges in a row with changing values: a flag or buffer that is reused too early shows up here.
TEST(Reflect, EverySingleExchangeCounts) {
    const Index extent = 4 * nodes_in_all();
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    XMP_Template* target = declare_template(nodes, {{0, extent - 1}}, {XMP_FORMAT_BLOCK(0, 0)});
    const XMP_Bounds bounds[] = {{0, extent - 1}, {0, 99}};
    const XMP_Align align[] = {{0, 0}, {-1, 0}};
    const XMP_Width shadow[] = {{1, 1, 0}, {0, 0, 0}};
    const XMP_Width both[] = {{1, 1, XMP_WIDTH_PERIODIC}, {0, 0, 0}}, left[] = {{1, 0, XMP_WIDTH_PERIODIC}, {0, 0, 0}};
    XMP_Array* a =
        XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 2, bounds, target, align, shadow);
    XMP_Array* b =
        XMP_Array_declare(XMP_SITE("align b"), "b", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 2, bounds, target, align, shadow);
    int* const u = static_cast<int*>(a->base);
    int* const v = static_cast<int*>(b->base);
    const int me = my_node(), below = (me + nodes_in_all() - 1) % nodes_in_all(), above = (me + 1) % nodes_in_all();
    int wrong = 0;
    for (int step = 0; step < rounds(300); ++step) {
        for (int i = 0; i < 400; ++i) u[100 + i] = step * 1000 + me, v[100 + i] = -step * 1000 - me;
        XMP_Array* const list[] = {a, b};
        XMP_Reflect(XMP_SITE("reflect (a, b)"), 2, list, step % 3 == 0 ? left : both, 0, nullptr);
        for (int i = 0; i < 100; ++i) {
            wrong += u[i] != step * 1000 + below || v[i] != -step * 1000 - below;
            if (step % 3 != 0) wrong += u[500 + i] != step * 1000 + above || v[500 + i] != -step * 1000 - above;
        }
    }
    EXPECT_EQ(wrong, 0);
    XMP_Array_release(&b);
    XMP_Array_release(&a);
    XMP_Template_release(&target);
    XMP_Nodes_release(&nodes);
}

// Arrays of a procedure that is called again and again get the memory of the last call, and its connections.
TEST(Reflect, ArraysThatComeAgainNeedNoNewAgreement) {
    const Index extent = 4 * nodes_in_all();
    XMP_Nodes* nodes = declare_nodes({nodes_in_all()});
    XMP_Template* target = declare_template(nodes, {{0, extent - 1}}, {XMP_FORMAT_BLOCK(0, 0)});
    const XMP_Align align[] = {{0, 0}, {-1, 0}};
    const int me = my_node(), below = (me + nodes_in_all() - 1) % nodes_in_all(), above = (me + 1) % nodes_in_all();
    int wrong = 0, late = 0;
    for (int call = 0; call < 12; ++call) {
        // Two sizes in turn, and two layouts of each size: rows of the same length with shadows on other sides.
        const Index row = call % 2 == 0 ? 100 : 50;
        const bool both = call % 4 < 2;
        const XMP_Bounds bounds[] = {{0, extent - 1}, {0, row - 1}};
        const XMP_Width shadow[] = {{both ? 1 : 2, both ? 1 : 0, 0}, {0, 0, 0}};
        const XMP_Width width[] = {{1, both ? 1 : 0, XMP_WIDTH_PERIODIC}, {0, 0, 0}};
        XMP_Array* a = XMP_Array_declare(XMP_SITE("align a"), "a", XMP_ROW_MAJOR, XMP_TYPE_INT, sizeof(int), 2, bounds, target,
                                         align, shadow);
        int* const u = static_cast<int*>(a->base) + (both ? 1 : 2) * row;
        for (int i = 0; i < 4 * row; ++i) u[i] = call * 1000 + me;
        const int before = agreements;
        XMP_Reflect(XMP_SITE("reflect (a)"), 1, &a, width, 0, nullptr);
        if (call >= 4) late += agreements - before;
        wrong += u[-1] != call * 1000 + below || u[-row] != call * 1000 + below;
        if (both) wrong += u[4 * row] != call * 1000 + above;
        XMP_Array_release(&a);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(late, 0);
    XMP_Template_release(&target);
    XMP_Nodes_release(&nodes);
}

}  // namespace
}  // namespace kumihimo::test
