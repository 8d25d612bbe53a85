// Arrays that an array function needs for the time of its call. Arguments are assigned to them in the layout that the work asks
// for, and from them to the results; so no function deals with the layouts of its arguments itself.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/arrays/operand.hpp"

namespace kumihimo::arrays {

// How a work array lies: a template, and the alignment with it.
struct Layout {
    std::shared_ptr<XMP_Nodes> nodes;  // these two only where the template is not the program's
    std::shared_ptr<XMP_Template> own;
    XMP_Template* target = nullptr;
    std::vector<XMP_Align> align;

    // All of the same on the executing nodes, which each have a block of every dimension.
    static Layout blocks(const std::vector<Index>& extents);
    // Along one dimension only; node k has sizes[k] elements of it.
    static Layout pieces(int rank, int dimension, std::vector<Index> sizes);
    // Whether it is a global array of which no two nodes hold the same elements, and all its nodes execute.
    static bool lies_alone(const Operand& operand);
    // As the array lies if it lies alone, else in blocks.
    static Layout like(const Operand& operand);

    Layout along(int dimension) const;  // of a matrix: the other dimension whole on every node
};

// Sizes of equal blocks.
std::vector<Index> equal_pieces(Index extent);

// Aligned for vectors; nobody expects its contents. Some of it is kept for the next call: fresh pages cost as much as the work
// on small arrays.
struct GiveBack {
    std::size_t bytes = 0;
    void operator()(std::byte* memory) const;
};
using Memory = std::unique_ptr<std::byte, GiveBack>;
Memory take_memory(std::size_t bytes);

struct Element {
    int type;
    std::size_t bytes;
};
inline Element element_of(const Operand& operand) {
    return {operand.type(), operand.element_bytes()};
}

// Its block has no shadow: the elements that this node owns, one after the other.
class WorkArray {
public:
    WorkArray(const Layout& layout, Element element, sets::Order order, const std::vector<Index>& extents);
    // A vector whose elements are there already.
    WorkArray(const Layout& layout, Element element, Index extent, Memory memory);

    Part whole() const;
    const execution::Array& array() const { return *array_; }
    std::byte* data() const { return memory_.get(); }
    template <typename T>
    T* data_as() const {
        return reinterpret_cast<T*>(memory_.get());
    }
    Memory release() { return std::move(memory_); }  // the array must not be used any more
    Index local_extent(int d) const { return array_->dimension[d].length; }
    Index local_elements() const;
    std::vector<sets::IndexSet> owned() const;  // indices of each dimension that this node holds

private:
    void declare(Element element, sets::Order order, const std::vector<Index>& extents);

    Layout layout_;
    Memory memory_;
    execution::OwnArray array_;
};

}  // namespace kumihimo::arrays
