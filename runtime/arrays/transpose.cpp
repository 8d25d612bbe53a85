// xmp_transpose: a matrix in rows is its transpose in columns, in the same memory. So a descriptor that says so is made, and
// the rest is an assignment.
#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/operand.hpp"

namespace kumihimo::arrays {

namespace {

class Transposed {
public:
    explicit Transposed(const Operand& matrix) : part_(matrix.whole()) {
        XMP_Side& side = part_.side;
        std::swap(part_.subscripts[0], part_.subscripts[1]);
        if (matrix.array() != nullptr) {
            view_ = view_of(*matrix.array());
            side.array = view_.get();
            return;
        }
        extents_ = {matrix.extent(1), matrix.extent(0)};
        strides_ = {matrix.strides()[1], matrix.strides()[0]};
        side.extents = extents_.data();
        side.strides = strides_.data();
    }
    const Part& whole() const { return part_; }

private:
    static execution::OwnArray view_of(const execution::Array& array) {
        std::vector<XMP_Align> align;
        std::vector<XMP_Width> shadow;
        std::vector<XMP_Bounds> bounds;
        for (const std::size_t d : {1u, 0u}) {
            align.push_back({array.alignment[d].template_dimension, array.alignment[d].offset});
            shadow.push_back(
                {array.shadow[d].lower, array.shadow[d].upper, array.shadow[d].full ? XMP_WIDTH_FULL : XMP_WIDTH_PLAIN});
            bounds.push_back((*array.bounds)[d]);
        }
        const int order = array.order == sets::Order::row_major ? XMP_COLUMN_MAJOR : XMP_ROW_MAJOR;
        return execution::own_view({array.name.c_str(), order, array.type, array.element_bytes, 2, bounds.data(), array.target,
                                    align.data(), shadow.data()},
                                   array);
    }

    Part part_;
    execution::OwnArray view_;
    std::array<Index, 2> extents_{}, strides_{};
};

}  // namespace

void transpose(const Operand& x, const Operand& a) {
    check_rank(x, 2), check_rank(a, 2);
    check_same_type(x, a);
    if (x.extent(0) != a.extent(1) || x.extent(1) != a.extent(0))
        throw base::Error(fmt::format("{} is {}, but the transpose of {} is {} x {}", x.text(), shape_text(x), a.text(),
                                      a.extent(1), a.extent(0)));
    const Transposed transposed(a);
    assign(x.whole(), transposed.whole());
}

}  // namespace kumihimo::arrays
