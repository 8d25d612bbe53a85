// Who holds which positions of a gmove's side, and where in memory: what gmove_plan.cpp makes its parts from.
#pragma once

#include <optional>
#include <vector>

#include "runtime/globalview/gmove_plan.hpp"

namespace kumihimo::globalview {

using sets::IndexSet;
using Coordinates = std::vector<Index>;  // in the grid; empty where the side is memory

// Where a piece of positions lies along one section: bytes to its first element, between blocks and between elements of a
// block. Every distribution stores elements at equal distances at equal distances (sets/README.md), so three numbers tell all.
struct Strand {
    std::ptrdiff_t offset, block, run;
};

// A side, and what each coordinate holds of each section.
class Holder {
public:
    explicit Holder(const GmoveSide& side);

    const GmoveSide& side() const { return side_; }
    bool is_memory() const { return side_.mapping == nullptr; }
    int sections() const { return static_cast<int>(sections_.size()); }
    int dimension(int section) const { return sections_[section]; }
    Index nodes() const { return side_.mapping->target().grid().size(); }
    Coordinates coordinates(Index number) const;
    Index coordinate(int section, const Coordinates& coordinates) const;
    Index coordinates_along(int section) const;  // how many there are

    bool owns_indices(const Coordinates& coordinates) const;  // those that are no sections
    const IndexSet& held(int section, Index coordinate);      // positions that nodes with this coordinate own
    bool holds_something(const Coordinates& coordinates);

    static std::optional<IndexSet>& at(std::vector<std::optional<IndexSet>>& list, Index place);

private:
    struct Owner {
        int along;  // dimension of the grid, -1: everybody
        Index coordinate;
    };
    const GmoveSide& side_;
    std::vector<int> sections_;
    std::vector<Owner> owners_;
    std::vector<std::vector<std::optional<IndexSet>>> held_;  // by section and coordinate
};

// A side as one node stores it.
class Block {
public:
    Block(const GmoveSide& side, const Coordinates& coordinates);

    Strand strand(int d, const sets::Piece& piece) const;
    std::ptrdiff_t stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }

private:
    std::ptrdiff_t of_position(int d, Index position) const;
    std::ptrdiff_t place(int d, Index index) const;

    const GmoveSide& side_;
    Coordinates coordinates_;
    std::vector<std::ptrdiff_t> strides_;
};

// Which of the nodes that hold the same elements sends them to a node: itself, or else one by its number; one that executes.
class Replicas {
public:
    Replicas(const sets::ArrayMapping& mapping, const GmoveNodes& nodes);

    Index count() const { return count_; }
    Index sender(const Coordinates& coordinates, int receiver) const;  // its number in the grid, -1: none of them executes
    bool chosen(Index candidate, const Coordinates& coordinates, int receiver) const;
    bool any_executes(const Coordinates& coordinates, const std::vector<int>& member) const;

private:
    Index number_of(const Coordinates& coordinates) const;
    Coordinates with(Coordinates coordinates, Index replica) const;

    const sets::NodeGrid& grid_;
    const GmoveNodes& nodes_;
    std::vector<int> dimensions_;
    Index count_ = 1;
};

}  // namespace kumihimo::globalview
