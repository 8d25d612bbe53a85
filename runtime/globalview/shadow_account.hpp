// For programs compiled with --check: what this node knows of the age of an array's shadow. Every node keeps it by itself,
// since all nodes know what a distributed loop writes and what a reflect fills: the loop's bounds are the same on all of them.
// Decision checked-shadows. Pure: knows the mapping of an array, not its memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kumihimo/generated.h"
#include "runtime/globalview/box.hpp"
#include "runtime/globalview/shadow_log.hpp"
#include "runtime/globalview/shadow_plan.hpp"
#include "sets/mapping.hpp"

namespace kumihimo::globalview {

// When each allocated element was noted last (XMP_Known). Memory that the system gives for the pages that are used.
class ElementStamps {
public:
    std::uint32_t* of_all(std::size_t elements) {
        if (!stamps_) stamps_.reset(static_cast<std::uint32_t*>(std::calloc(elements, sizeof(std::uint32_t))));
        return stamps_.get();
    }

private:
    struct Free {
        void operator()(std::uint32_t* stamps) const { std::free(stamps); }
    };
    std::unique_ptr<std::uint32_t, Free> stamps_;
};

class ShadowAccount {
public:
    // Of the node at `coordinates` of the array's grid.
    ShadowAccount(const sets::ArrayMapping& mapping, const std::vector<Index>& coordinates);

    // The owners write these elements at `site`.
    void written(const XMP_Site* site, const Box& elements);
    // A reflect with these widths.
    void filled(const std::vector<ReflectWidth>& widths, bool orthogonal);
    // This node writes these elements itself, its shadow included, as the owners do (expand).
    void filled_here(const Box& elements);
    // Something else may have filled the shadow.
    void forget();

    struct Finding {
        std::vector<Index> element;
        const XMP_Site* written;  // null: beyond the ends of the array, and no periodic reflect has filled it
    };
    // An element of the shadow among those that are read that is older than its owner's, if there is one.
    std::optional<Finding> outdated(const Box& read) const;
    // Whether that can be said of no element of the array that this node stores.
    bool all_fresh() const { return !outdated(stored(false)); }

    bool owns(int d, Index index) const { return dimensions_[d].owned.contains(index); }
    bool owns(const std::vector<Index>& element) const;
    bool owns_all(int d, const sets::IndexSet& indices) const {
        return indices.intersect(dimensions_[d].owned).size() == indices.size();
    }
    // Whether another node may mirror this element of this node's; and those of a box that it may.
    bool mirrored(const XMP_Index* element) const;
    void for_each_mirrored(const Box& box, const std::function<void(const std::vector<Index>&)>& visit) const;
    // Where this node may have a copy of another's element: there itself, and beyond the ends of the array.
    std::vector<std::vector<Index>> copies(const std::vector<Index>& element) const;

    ShadowLog log;  // what the other nodes are told later
    ElementStamps stamps;

private:
    using Epoch = std::uint64_t;

    struct Dimension {
        sets::IndexSet owned;
        Index lower, upper;  // of the array
        Index below, above;  // widths of the shadow
        bool full;           // every element has a place on every node
        Index image(Index index) const;
        bool mirrored(Index index) const;
        sets::IndexSet rim() const;  // what is mirrored
        bool beyond(Index index) const { return index < lower || index > upper; }
    };
    struct Record {
        const XMP_Site* site;
        Box elements;
        Epoch epoch;
    };
    struct Span {
        Index first, last;
        bool periodic;
    };
    struct Event {
        std::vector<Span> spans;
        bool orthogonal;
        Epoch epoch;
    };
    using Dimensions = unsigned;  // bit d: dimension d

    // Elements along one dimension that stand for all that are read there and were written: an owned one, and the farthest from
    // this node's, which every reflect fills last.
    std::vector<Index> representatives(int d, const sets::IndexSet& read, const sets::IndexSet* written) const;
    std::optional<std::vector<Index>> uncovered(const Box& read, const Record* record) const;
    Dimensions filled_by(const Event& event, const std::vector<Index>& element, Dimensions outside) const;
    bool covered(const std::vector<Index>& element, Dimensions outside, Epoch since, Epoch before) const;
    void add(Event event);
    Box stored(bool beyond) const;

    std::vector<Dimension> dimensions_;
    std::vector<Record> records_;  // writes since the last reflect of everything, the newest last
    std::vector<Event> events_;
    Epoch now_ = 0;
};

}  // namespace kumihimo::globalview
