// Arrays of one shape in random layouts, for the tests of checkpoints.
#pragma once

#include <fstream>
#include <iterator>

#include "kumihimo/xmp.h"
#include "layout.hpp"

namespace layout {

inline std::string contents_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// An array of this shape in any layout, on all nodes or on the first ones only.
struct Shape {
    const char* name;
    ElementType type;
    int order;
    std::vector<Index> extents;
};

class Placed : public Global {
public:
    Placed(Random& random, const Shape& shape) {
        const Index whole[] = {node_count()};
        everybody_ = XMP_Nodes_declare(site(), "all", XMP_ROW_MAJOR, 1, whole, XMP_NODES_ENTIRE, nullptr);
        const auto rank = static_cast<int>(shape.extents.size());
        const Index members = random.chance(70) ? node_count() : random(1, node_count());
        const std::vector<Index> sizes = grid(random, static_cast<int>(members), static_cast<int>(random(1, rank)));
        const XMP_Range first[] = {XMP_FROM_TO(0, members - 1, 1)};
        const XMP_On part = {everybody_, 1, first};
        nodes =
            XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, static_cast<int>(sizes.size()), sizes.data(), XMP_NODES_PART, &part);
        std::vector<XMP_Bounds> bounds(rank);
        std::vector<XMP_Align> align(rank);
        for (int d = 0; d < rank; ++d) {
            bounds[d].lower = random(-2, 2), bounds[d].upper = bounds[d].lower + shape.extents[d] - 1;
            align[d] = {d, 0};
        }
        std::vector<XMP_Format> formats;
        std::vector<std::vector<int>> gblock;
        random_formats(random, sizes, bounds, formats, gblock);
        target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, rank, bounds.data());
        XMP_Distribute(site(), target, nodes, formats.data());
        array = XMP_Array_declare(site(), shape.name, shape.order, shape.type.type, shape.type.bytes, rank, bounds.data(),
                                  target, align.data(), nullptr);
    }
    ~Placed() {
        // What lies on it goes first.
        if (array != nullptr) XMP_Array_release(&array);
        if (target != nullptr) XMP_Template_release(&target);
        if (nodes != nullptr) XMP_Nodes_release(&nodes);
        XMP_Nodes_release(&everybody_);
    }

    bool holds_its_values() const {
        bool right = true;
        for_each_owned([&](const std::vector<Index>& indices) {
            std::byte expected[64];
            value(linear(indices), object().element_bytes, expected);
            right = right && std::memcmp(object().address(indices), expected, object().element_bytes) == 0;
        });
        return right;
    }

private:
    XMP_Nodes* everybody_ = nullptr;
};

inline const Shape heights = {"height", {XMP_TYPE_DOUBLE, 8}, XMP_ROW_MAJOR, {6, 5}};
inline const Shape counts = {"count", {XMP_TYPE_SHORT, 2}, XMP_ROW_MAJOR, {6, 5}};
struct Values {
    int step;
    double time;
};

// Two arrays, which are saved and restored together.
struct Pair {
    explicit Pair(Random& random) : a(random, heights), b(random, counts) {}
    std::vector<xmp_desc_t> descriptors() const { return {a.array, b.array}; }
    void fill() const { a.fill(), b.fill(); }
    void blank() const { a.blank(), b.blank(); }
    bool right() const { return a.holds_its_values() && b.holds_its_values(); }
    long long save(const std::string& name, Values values) const {
        fill();
        return xmp_checkpoint_save_values(name.c_str(), 2, descriptors().data(), &values, sizeof values);
    }
    Placed a, b;
};

}  // namespace layout
