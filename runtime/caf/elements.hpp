// The elements that one side of an assignment between images has, in Fortran's order: how many along each axis, and where each
// lies. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/caf/abi.hpp"
#include "sets/correspondence.hpp"

namespace kumihimo::caf {

struct ElementType {
    BasicType type;
    int kind;
    std::size_t bytes;
};

struct Axis {
    std::int64_t count;
    std::ptrdiff_t stride;         // in bytes
    const std::ptrdiff_t* places;  // of a vector subscript: each element's bytes from the first one; null: by the stride
};

class Elements {
public:
    explicit Elements(const ElementType& type) : type_(type) {}

    // Axes come in Fortran's order, the first one fastest. One of a single element only moves what follows.
    void add_axis(std::int64_t count, std::ptrdiff_t stride);
    void add_axis(std::vector<std::ptrdiff_t> places);
    void move(std::ptrdiff_t bytes) { first_ += bytes; }
    void change_type(const ElementType& type) { type_ = type; }

    const ElementType& type() const { return type_; }
    std::ptrdiff_t first() const { return first_; }  // where the first element lies
    int rank() const { return rank_; }
    const Axis& axis(int number) const { return axes_[static_cast<std::size_t>(number)]; }
    bool empty() const;
    std::size_t count() const;
    Elements dense(const ElementType& type) const;  // as many along each axis, without gaps

    // The bytes that they touch: [first, end). Not of empty ones.
    struct Extent {
        std::ptrdiff_t first, end;
    };
    Extent extent() const;

private:
    ElementType type_;
    std::ptrdiff_t first_ = 0;
    int rank_ = 0;
    std::array<Axis, most_rank> axes_;
    std::vector<std::unique_ptr<std::ptrdiff_t[]>> places_;
};

// What a descriptor tells; with vector subscripts, one for each of its dimensions or null, its bounds are those of the array.
Elements elements_of(const Descriptor& descriptor, int kind, const VectorSubscript* subscripts);

// Values of an integer kind as they lie in memory.
std::int64_t integer_at(const void* values, std::size_t index, int kind);

// The elements of `to` beside those of `from`, which is one element or has the same shape. Throws base::Error where it has
// less.
class Pairing {
public:
    Pairing(const Elements& to, const Elements& from);

    // Calls visit(to_offset, from_offset, levels) for boxes of even strides which together are all elements.
    template <typename Visit>
    void for_each_box(Visit&& visit) const {
        visit_boxes(to_first_, from_first_, uneven_, visit);
    }

private:
    struct Pair {
        std::int64_t count;
        Axis to, from;
    };
    static std::ptrdiff_t place(const Axis& axis, std::int64_t step) {
        return axis.places != nullptr ? axis.places[step] : step * axis.stride;
    }

    template <typename Visit>
    void visit_boxes(std::ptrdiff_t to, std::ptrdiff_t from, int depth, Visit& visit) const {
        if (depth == 0)
            return visit(to, from, sets::Correspondence::Levels(even_loops_.data(), static_cast<std::size_t>(even_)));
        const Pair& pair = uneven_pairs_[static_cast<std::size_t>(depth - 1)];
        for (std::int64_t step = 0; step < pair.count; ++step)
            visit_boxes(to + place(pair.to, step), from + place(pair.from, step), depth - 1, visit);
    }

    std::ptrdiff_t to_first_, from_first_;
    int even_ = 0, uneven_ = 0;
    std::array<sets::PairedLevel, most_rank> even_loops_;
    std::array<Pair, most_rank> uneven_pairs_;
};

}  // namespace kumihimo::caf
