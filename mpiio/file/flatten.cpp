#include "mpiio/file/flatten.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "sets/arithmetic.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::mpiio {

namespace {

using sets::Extents;

// Blocks of `length` elements at `place` (in bytes): an indexed type of any kind.
struct ElementBlocks {
    std::vector<Index> lengths, places;
};

// Elements without holes are bytes; others are repeated for each length that occurs in turn.
Extents indexed(const Extents& element, const ElementBlocks& blocks) {
    const std::size_t count = blocks.lengths.size();
    if (element.contiguous() && element.size() == element.extent()) {
        std::vector<std::pair<Index, Index>> bytes(count);
        for (std::size_t i = 0; i < count; ++i)
            bytes[i] = {blocks.places[i] + element.true_lower(), blocks.lengths[i] * element.size()};
        return Extents::blocks(bytes);
    }
    std::vector<std::pair<Index, Extents>> parts(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool again = i > 0 && blocks.lengths[i] == blocks.lengths[i - 1];
        parts[i] = {blocks.places[i], again ? parts[i - 1].second : element.repeated(blocks.lengths[i], element.extent())};
    }
    return Extents::sequence(parts);
}

// The indices of one dimension of a distributed array that a process owns (MPI 3.1, 4.1.4), as copies of `element` (the
// dimensions inside) `stride` apart.
struct Dimension {
    Index size;
    int distribution, argument, processes, coordinate;
};

sets::Distribution distribution_of(const Dimension& d) {
    const bool by_default = d.argument == MPI_DISTRIBUTE_DFLT_DARG;
    const Index last = d.size - 1;
    if (d.distribution == MPI_DISTRIBUTE_NONE) return sets::Distribution::undistributed(0, last);
    if (d.distribution == MPI_DISTRIBUTE_CYCLIC)
        return sets::Distribution::cyclic(0, last, d.processes, by_default ? 1 : d.argument);
    return by_default ? sets::Distribution::block(0, last, d.processes)
                      : sets::Distribution::block(0, last, d.processes, d.argument);
}

Extents distributed(const Extents& element, Index stride, const Dimension& d) {
    return sets::extents_along(element, distribution_of(d).owned_in_order(d.coordinate, {0, d.size, 1}),
                               [stride](Index index) { return index * stride; });
}

// The order in which dimensions are nested, innermost first.
std::vector<std::size_t> innermost_first(std::size_t dimensions, int order) {
    std::vector<std::size_t> list(dimensions);
    std::iota(list.begin(), list.end(), std::size_t{0});
    if (order == MPI_ORDER_C) std::reverse(list.begin(), list.end());
    return list;
}

class Flattening {
public:
    Flattening(MPI_Datatype type, const Layout& layout) : contents_(type), layout_(layout) {}

    Extents run() {
        TypeContents& c = contents_;
        switch (c.combiner()) {
            case MPI_COMBINER_DUP:
                return element();
            case MPI_COMBINER_RESIZED: {
                const Index lower = c.address(), extent = c.address();
                return element().resized(lower, extent);
            }
            case MPI_COMBINER_CONTIGUOUS: {
                const Extents e = element();
                return e.repeated(c.number(), e.extent());
            }
            case MPI_COMBINER_VECTOR:
            case MPI_COMBINER_HVECTOR:
                return vector();
            case MPI_COMBINER_INDEXED:
            case MPI_COMBINER_HINDEXED:
            case MPI_COMBINER_INDEXED_BLOCK:
            case MPI_COMBINER_HINDEXED_BLOCK:
                return indexed_type();
            case MPI_COMBINER_STRUCT:
                return structure();
            case MPI_COMBINER_SUBARRAY:
                return subarray();
            case MPI_COMBINER_DARRAY:
                return distributed_array();
            default:
                break;
        }
        throw std::invalid_argument("a datatype of an unknown constructor (combiner " + std::to_string(c.combiner()) + ")");
    }

private:
    Extents element() const { return flatten(contents_.types().front(), layout_); }

    Extents vector() {
        const Extents e = element();
        const Index count = contents_.number(), length = contents_.number();
        const bool in_bytes = contents_.combiner() == MPI_COMBINER_HVECTOR;
        return e.repeated(length, e.extent()).repeated(count, in_bytes ? contents_.address() : contents_.number() * e.extent());
    }

    Extents indexed_type() {
        const int combiner = contents_.combiner();
        const bool equal = combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
        const bool in_bytes = combiner == MPI_COMBINER_HINDEXED || combiner == MPI_COMBINER_HINDEXED_BLOCK;
        const Extents e = element();
        const Index count = contents_.number();
        ElementBlocks blocks;
        blocks.lengths =
            equal ? std::vector<Index>(static_cast<std::size_t>(count), contents_.number()) : contents_.numbers(count);
        blocks.places = in_bytes ? contents_.addresses(count) : contents_.numbers(count);
        if (!in_bytes)
            for (Index& place : blocks.places) place *= e.extent();
        return indexed(e, blocks);
    }

    Extents structure() {
        const Index count = contents_.number();
        const std::vector<Index> lengths = contents_.numbers(count), places = contents_.addresses(count);
        const std::vector<MPI_Datatype>& types = contents_.types();
        std::vector<std::pair<Index, Extents>> parts(static_cast<std::size_t>(count));
        Extents e;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i == 0 || types[i] != types[i - 1]) e = flatten(types[i], layout_);
            parts[i] = {places[i], e.repeated(lengths[i], e.extent())};
        }
        return Extents::sequence(parts);
    }

    // Both kinds of arrays: from the innermost dimension outwards; the bounds are those of the whole array (MPI 3.1, 4.1.3).
    template <typename Owned>
    Extents array(const std::vector<Index>& sizes, int order, Owned&& owned) {
        const Extents e = element();
        Extents inside = e;
        Index stride = e.extent();
        for (const std::size_t d : innermost_first(sizes.size(), order)) {
            inside = owned(inside, stride, d);
            stride *= sizes[d];
        }
        return inside.resized(0, stride);
    }

    Extents subarray() {
        const Index dimensions = contents_.flag();
        const std::vector<Index> sizes = contents_.numbers(dimensions), subsizes = contents_.numbers(dimensions);
        const std::vector<Index> starts = contents_.numbers(dimensions);
        return array(sizes, contents_.flag(), [&](const Extents& inside, Index stride, std::size_t d) {
            return inside.repeated(subsizes[d], stride).shifted(starts[d] * stride);
        });
    }

    Extents distributed_array() {
        contents_.flag();  // the number of processes: the product of those of the dimensions
        int rank = contents_.flag();
        const Index dimensions = contents_.flag();
        const std::vector<Index> sizes = contents_.numbers(dimensions);
        const std::vector<int> distributions = contents_.flags(dimensions), arguments = contents_.flags(dimensions);
        const std::vector<int> processes = contents_.flags(dimensions);
        std::vector<int> coordinates(processes.size());
        for (std::size_t d = processes.size(); d-- > 0; rank /= processes[d]) coordinates[d] = rank % processes[d];
        return array(sizes, contents_.flag(), [&](const Extents& inside, Index stride, std::size_t d) {
            return distributed(inside, stride, {sizes[d], distributions[d], arguments[d], processes[d], coordinates[d]});
        });
    }

    TypeContents contents_;
    const Layout& layout_;
};

// The types of a value and an index for MPI_MINLOC and MPI_MAXLOC: C structures with what padding they have (MPI 3.1, 5.9.4).
template <typename Value>
Extents pair_of() {
    struct Pair {
        Value value;
        int index;
    };
    return Extents::sequence(
        {{0, Extents::contiguous(sizeof(Value))}, {offsetof(Pair, index), Extents::contiguous(sizeof(int))}});
}

}  // namespace

Extents flatten(MPI_Datatype type, const Layout& layout) {
    if (is_predefined(type)) return layout.basic(type);
    return layout.bounded(type, Flattening(type, layout).run());
}

Index size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    MPI_Type_size_x(type, &size);
    return size;
}

Extents NativeLayout::basic(MPI_Datatype type) const {
    if (type == MPI_SHORT_INT) return bounded(type, pair_of<short>());
    if (type == MPI_DOUBLE_INT) return bounded(type, pair_of<double>());
    if (type == MPI_LONG_INT) return bounded(type, pair_of<long>());
    if (type == MPI_LONG_DOUBLE_INT) return bounded(type, pair_of<long double>());
    return bounded(type, Extents::contiguous(size_of(type)));
}

// MPI's own bounds: they contain the padding of structures, which every library chooses for itself (MPI 3.1, 4.1.6).
Extents NativeLayout::bounded(MPI_Datatype type, const Extents& extents) const {
    MPI_Count lower = 0, extent = 0;
    MPI_Type_get_extent_x(type, &lower, &extent);
    if (extents.size() != size_of(type))
        throw std::invalid_argument("a datatype of " + std::to_string(size_of(type)) + " bytes whose contents select " +
                                    std::to_string(extents.size()));
    const bool sensible = std::abs(lower) < sets::index_limit && std::abs(extent) < sets::index_limit;
    return sensible ? extents.resized(lower, extent) : extents;  // Open MPI 4.1 gives LONG_MAX for some types without bytes
}

}  // namespace kumihimo::mpiio
