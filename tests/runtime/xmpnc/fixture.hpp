// Small fixed arrays for the tests that are not random.
#pragma once

#include "kumihimo/xmpnc.h"
#include "layout.hpp"

namespace layout {

// rows x columns of T, rows distributed by blocks, a shadow of one around; a[j][i] = 100 * j + i + offset.
template <typename T>
class Grid : public Global {
public:
    Grid(int type, Index rows, Index columns, int of = XMP_NODES_ENTIRE) : rows_(rows), columns_(columns) {
        const Index sizes[] = {of == XMP_NODES_ENTIRE ? node_count() : xmp_num_nodes()};
        const XMP_Bounds bounds[] = {{0, rows - 1}, {0, columns - 1}};
        const XMP_Format formats[] = {XMP_FORMAT_BLOCK(0, 0), XMP_FORMAT_NONE};
        const XMP_Align align[] = {{0, 0}, {1, 0}};
        const XMP_Width shadow[] = {{1, 1, XMP_WIDTH_PLAIN}, {1, 1, XMP_WIDTH_PLAIN}};
        nodes = XMP_Nodes_declare(site(), "p", XMP_ROW_MAJOR, 1, sizes, of, nullptr);
        target = XMP_Template_declare(site(), "t", XMP_ROW_MAJOR, 2, bounds);
        XMP_Distribute(site(), target, nodes, formats);
        array = XMP_Array_declare(site(), "grid", XMP_ROW_MAJOR, type, sizeof(T), 2, bounds, target, align, shadow);
    }
    T& at(const std::vector<Index>& indices) const { return *reinterpret_cast<T*>(object().address(indices)); }
    void set(double offset) const {
        for_each_owned([&](const std::vector<Index>& i) { at(i) = static_cast<T>(expected(i, offset)); });
    }
    void expect(double offset) const {
        for_each_owned([&](const std::vector<Index>& i) {
            EXPECT_EQ(at(i), static_cast<T>(expected(i, offset))) << i[0] << ", " << i[1];
        });
    }
    static double expected(const std::vector<Index>& i, double offset) {
        return static_cast<double>(100 * i[0] + i[1]) + offset;
    }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }

private:
    Index rows_, columns_;
};

}  // namespace layout
