// Random distributed arrays and sections for the tests of XMP-IO and xmpnc: every format, alignment, shadow and order. The
// same generator runs on all nodes with the same seed, so that all declare the same.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kumihimo/xmp_io.h"
#include "runtime/execution/objects.hpp"
#include "runtime/xmpio/agreement.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/shared_file.hpp"

namespace layout {

using kumihimo::sets::Index;
using kumihimo::sets::Range;

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    Index operator()(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(engine_); }
    bool chance(int percent) { return (*this)(1, 100) <= percent; }
    template <typename T>
    const T& pick(const std::vector<T>& values) {
        return values[(*this)(0, static_cast<Index>(values.size()) - 1)];
    }

private:
    std::mt19937 engine_;
};

struct ElementType {
    int type;
    std::size_t bytes;
};

// The value of an element: bytes that depend on its index alone.
inline void value(std::uint64_t linear, std::size_t bytes, std::byte* to) {
    for (std::size_t i = 0; i < bytes; ++i)
        to[i] = static_cast<std::byte>(((linear * 2654435761u + i * 97 + 13) >> 5) & 0x7f);  // a valid float, whatever the type
}

// A declared array with its nodes and template, which it releases.
class Global {
public:
    XMP_Nodes *all = nullptr, *nodes = nullptr;  // all: of which `nodes` is a part, if it is one
    XMP_Template* target = nullptr;
    XMP_Array* array = nullptr;

    Global() = default;
    Global(const Global&) = delete;
    ~Global() {
        if (array != nullptr) XMP_Array_release(&array);
        if (target != nullptr) XMP_Template_release(&target);
        if (nodes != nullptr) XMP_Nodes_release(&nodes);
        if (all != nullptr) XMP_Nodes_release(&all);
    }

    const kumihimo::execution::Array& object() const { return kumihimo::execution::array_of(static_cast<const void*>(array)); }
    const kumihimo::sets::ArrayMapping& mapping() const { return *object().mapping; }

    // Position of an element in the whole array, in file order.
    std::uint64_t linear(const std::vector<Index>& indices) const {
        const auto& m = mapping();
        std::uint64_t sum = 0;
        for (int i = 0; i < m.rank(); ++i) {
            const int d = m.order() == kumihimo::sets::Order::row_major ? i : m.rank() - 1 - i;
            sum = sum * m.extent(d) + (indices[d] - m.lower(d));
        }
        return sum;
    }

    // visit(indices) for every element that this node owns.
    template <typename Visit>
    void for_each_owned(Visit&& visit) const {
        if (!object().member()) return;
        std::vector<Index> indices;
        descend(indices, visit);
    }

    void fill() const {
        for_each_owned([&](const std::vector<Index>& indices) {
            value(linear(indices), object().element_bytes, object().address(indices));
        });
    }
    void blank() const {
        if (object().member() && object().base != nullptr) std::memset(object().base, 0xEE, object().allocated_bytes());
    }

private:
    template <typename Visit>
    void descend(std::vector<Index>& indices, Visit& visit) const {
        const int d = static_cast<int>(indices.size());
        if (d == mapping().rank()) return visit(indices);
        mapping().owned(d, object().coordinate(d)).for_each_run([&](Index first, Index length) {
            for (Index i = first; i < first + length; ++i) {
                indices.push_back(i);
                descend(indices, visit);
                indices.pop_back();
            }
        });
    }
};

inline const XMP_Site* site() {
    static const XMP_Site here = {"layout.hpp", 1, "test"};
    return &here;
}

// Factors of n for a node array of the given rank.
inline std::vector<Index> grid(Random& random, int n, int rank) {
    std::vector<Index> sizes(rank, 1);
    for (int prime = 2; n > 1; ++prime)
        for (; n % prime == 0; n /= prime) sizes[random(0, rank - 1)] *= prime;
    return sizes;
}

inline void random_formats(Random& random, const std::vector<Index>& sizes, const std::vector<XMP_Bounds>& bounds,
                           std::vector<XMP_Format>& formats, std::vector<std::vector<int>>& gblock) {
    std::vector<int> order(bounds.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random(0, static_cast<Index>(i))]);
    gblock.assign(bounds.size(), {});
    formats.assign(bounds.size(), XMP_Format XMP_FORMAT_NONE);
    for (std::size_t g = 0; g < sizes.size(); ++g) {
        const int d = order[g], onto = static_cast<int>(g);
        const Index extent = bounds[d].upper - bounds[d].lower + 1;
        switch (random(0, 3)) {
            case 0:
                formats[d] = XMP_Format XMP_FORMAT_BLOCK(onto, 0);
                break;
            case 1:
                formats[d] = XMP_Format XMP_FORMAT_CYCLIC(onto, 0);
                break;
            case 2:
                formats[d] = XMP_Format XMP_FORMAT_CYCLIC(onto, random(1, 4));
                break;
            default:
                gblock[d].assign(sizes[g], 0);
                for (Index i = 0; i < extent; ++i) ++gblock[d][random(0, sizes[g] - 1)];
                formats[d] = XMP_Format XMP_FORMAT_GBLOCK(onto, sizes[g], gblock[d].data());
        }
    }
}

// Declares a random array of the given element type, on all nodes or on members (by default all) from the first one on.
inline void declare(Random& random, const ElementType& type, int node_count, Global& global, int largest_extent = 13,
                    int most_dimensions = 4, int members = 0) {
    const int node_rank = static_cast<int>(random(1, 2)), template_rank = static_cast<int>(random(node_rank, 3));
    const std::vector<Index> sizes = grid(random, members == 0 ? node_count : members, node_rank);
    const int order = static_cast<int>(random(0, 1));
    if (members == 0) {
        global.nodes = XMP_Nodes_declare(site(), "p", order, node_rank, sizes.data(), XMP_NODES_ENTIRE, nullptr);
    } else {
        const Index entire[] = {node_count};
        global.all = XMP_Nodes_declare(site(), "all", XMP_ROW_MAJOR, 1, entire, XMP_NODES_ENTIRE, nullptr);
        const XMP_Range first[] = {XMP_Range XMP_FROM_TO(0, members - 1, 1)};
        const XMP_On part = {global.all, 1, first};
        global.nodes = XMP_Nodes_declare(site(), "p", order, node_rank, sizes.data(), XMP_NODES_PART, &part);
    }

    std::vector<XMP_Bounds> bounds(template_rank);
    for (XMP_Bounds& b : bounds) b.lower = random(-3, 3), b.upper = b.lower + random(0, largest_extent - 1);
    std::vector<XMP_Format> formats;
    std::vector<std::vector<int>> gblock;
    random_formats(random, sizes, bounds, formats, gblock);
    global.target = XMP_Template_declare(site(), "t", static_cast<int>(random(0, 1)), template_rank, bounds.data());
    XMP_Distribute(site(), global.target, global.nodes, formats.data());

    const int rank = static_cast<int>(random(1, most_dimensions));
    std::vector<XMP_Bounds> extent(rank);
    std::vector<XMP_Align> align(rank);
    std::vector<XMP_Width> shadow(rank);
    std::vector<int> free_dimensions(template_rank);
    for (int i = 0; i < template_rank; ++i) free_dimensions[i] = i;
    for (int d = 0; d < rank; ++d) {
        shadow[d] = {0, 0, XMP_WIDTH_PLAIN};
        const bool collapsed = free_dimensions.empty() || random.chance(20);
        if (collapsed) {
            extent[d].lower = random(-3, 3), extent[d].upper = extent[d].lower + random(0, 4);
            align[d] = {-1, 0};
            continue;
        }
        const Index chosen = random(0, static_cast<Index>(free_dimensions.size()) - 1);
        const int onto = free_dimensions[chosen];
        free_dimensions.erase(free_dimensions.begin() + chosen);
        const Index offset = random(-2, 2);
        const Index first = random(bounds[onto].lower, bounds[onto].upper), last = random(first, bounds[onto].upper);
        const bool all = random.chance(50);
        extent[d] = {(all ? bounds[onto].lower : first) - offset, (all ? bounds[onto].upper : last) - offset};
        align[d] = {onto, offset};
        if (random.chance(15))
            shadow[d].modifier = XMP_WIDTH_FULL;
        else if (formats[onto].kind != XMP_CYCLIC)
            shadow[d] = {random(0, 2), random(0, 2), XMP_WIDTH_PLAIN};
    }
    global.array = XMP_Array_declare(site(), "a", static_cast<int>(random(0, 1)), type.type, type.bytes, rank, extent.data(),
                                     global.target, align.data(), shadow.data());
}

// A random section: whole (null), or any direction, sometimes empty.
struct SectionChoice {
    std::vector<Range> ranges;
    xmp_range_t* rp = nullptr;
    ~SectionChoice() { xmp_free_range(rp); }
};

inline void choose(Random& random, const Global& global, SectionChoice& choice) {
    const auto& mapping = global.mapping();
    const bool whole = random.chance(30);
    if (!whole) choice.rp = xmp_allocate_range(mapping.rank());
    for (int d = 0; d < mapping.rank(); ++d) {
        const Index lower = mapping.lower(d), extent = mapping.extent(d);
        Range range{lower, extent, 1};
        if (!whole && random.chance(75)) {
            const Index first = random(0, extent - 1), last = random(0, extent - 1), stride = random(1, 3);
            range.first = lower + first;
            range.step = last < first ? -stride : stride;
            range.count = random.chance(4) ? 0 : std::abs(last - first) / stride + 1;
            xmp_set_range(choice.rp, d + 1, range.first, range.count, range.step);
        }
        choice.ranges.push_back(range);
    }
}

// visit(indices) for the elements of the section in file order.
template <typename Visit>
void for_each_in_file(const Global& global, const std::vector<Range>& ranges, Visit&& visit) {
    const auto& mapping = global.mapping();
    Index total = 1;
    for (const Range& range : ranges) total *= range.count;
    for (Index k = 0; k < total; ++k) {
        std::vector<Index> indices(ranges.size());
        Index rest = k;
        for (int i = mapping.rank() - 1; i >= 0; --i) {
            const int d = mapping.order() == kumihimo::sets::Order::row_major ? i : mapping.rank() - 1 - i;
            indices[d] = ranges[d].first + rest % ranges[d].count * ranges[d].step;
            rest /= ranges[d].count;
        }
        visit(indices);
    }
}

inline bool contains(const std::vector<Range>& ranges, const std::vector<Index>& indices) {
    for (std::size_t d = 0; d < ranges.size(); ++d)
        if (!ranges[d].contains(indices[d])) return false;
    return true;
}

// A barrier that gives the processor away: MPICH's own polls for whole time slices.
inline void barrier() {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    kumihimo::xmpio::complete(request, MPI_COMM_WORLD);
}

using kumihimo::support::SharedFile;

inline int node_count() {
    return kumihimo::support::ranks();
}

inline int node_number() {
    return kumihimo::support::rank();
}

template <typename T>
bool same_everywhere(T value) {
    T low = value, high = value;
    MPI_Allreduce(MPI_IN_PLACE, &low, 1, sizeof(T) == 8 ? MPI_LONG_LONG : MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &high, 1, sizeof(T) == 8 ? MPI_LONG_LONG : MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return low == high;
}

inline long long hash_of(const std::string& text) {
    return static_cast<long long>(std::hash<std::string>{}(text) >> 1);
}

inline unsigned seed() {  // KUMIHIMO_TEST_SEED repeats a failure
    const char* const text = std::getenv("KUMIHIMO_TEST_SEED");
    return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 20261121u;
}

inline int cases(int usual) {  // KUMIHIMO_TEST_CASES for the long form; fewer where nodes outnumber processors
    const char* const text = std::getenv("KUMIHIMO_TEST_CASES");
    return text != nullptr ? std::atoi(text) : node_count() <= 4 ? usual : (usual + 1) / 2;
}

// Elements 0 to extent - 1 along one dimension of all nodes.
inline void declare_line(Global& global, const ElementType& type, Index extent, const XMP_Format& format) {
    const Index sizes[] = {node_count()};
    const XMP_Bounds bounds[] = {{0, extent - 1}};
    const XMP_Align align[] = {{0, 0}};
    global.nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, sizes, XMP_NODES_ENTIRE, nullptr);
    global.target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 1, bounds);
    XMP_Distribute(site(), global.target, global.nodes, &format);
    global.array =
        XMP_Array_declare(site(), "large", XMP_ROW_MAJOR, type.type, type.bytes, 1, bounds, global.target, align, nullptr);
}

}  // namespace layout
