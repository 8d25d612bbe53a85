// xmp_matmul: the SUMMA of van de Geijn and Watts (1997) for any layouts. Each node computes the part of x that it owns, so it
// needs its rows of a and its columns of b, some columns and rows at a time: work arrays of these layouts, replicated where
// nodes have the same rows or columns. Assigning to them is the broadcast along rows and columns of nodes.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/multiply.hpp"
#include "runtime/arrays/work.hpp"

namespace kumihimo::arrays {

namespace {

constexpr Index panel_columns = 256;  // columns of a at a time

void check(const Operand& x, const Operand& a, const Operand& b) {
    for (const Operand* const matrix : {&x, &a, &b}) check_rank(*matrix, 2);
    check_same_type(x, a), check_same_type(x, b);
    if (a.extent(1) != b.extent(0))
        throw base::Error(fmt::format("{} is {}, and {} is {}", a.text(), shape_text(a), b.text(), shape_text(b)),
                          "The first needs as many columns as the second has rows.");
    if (x.extent(0) != a.extent(0) || x.extent(1) != b.extent(1))
        throw base::Error(fmt::format("{} is {}, but the product of {} and {} is {} x {}", x.text(), shape_text(x), a.text(),
                                      b.text(), a.extent(0), b.extent(1)));
}

// sum += a * b. In columns, the same memory is the transposes, and (a b)' = b' a'.
void multiply_panels(Multiply multiply, WorkArray& sum, const WorkArray& a, const WorkArray& b, Index depth,
                     sets::Order order) {
    const Index rows = sum.local_extent(0), columns = sum.local_extent(1);
    if (rows == 0 || columns == 0) return;
    if (order == sets::Order::row_major)
        multiply({rows, columns, depth, a.data(), a.local_extent(1), b.data(), columns, sum.data(), columns});
    else
        multiply({columns, rows, depth, b.data(), b.local_extent(0), a.data(), rows, sum.data(), rows});
}

}  // namespace

void matmul(const Operand& x, const Operand& a, const Operand& b) {
    check(x, a, b);
    const Multiply multiply = multiply_of(x.type());
    if (multiply == nullptr)
        throw base::Error(fmt::format("{} has elements of type {}, which are no numbers", x.text(), type_text(x)));
    const Index depth = a.extent(1), panel = std::min(depth, panel_columns);
    const Layout layout = Layout::like(x);
    WorkArray sum(layout, element_of(x), x.order(), x.extents());
    WorkArray columns_of_a(layout.along(0), element_of(x), x.order(), {x.extent(0), panel});
    WorkArray rows_of_b(layout.along(1), element_of(x), x.order(), {panel, x.extent(1)});
    std::memset(sum.data(), 0, static_cast<std::size_t>(sum.local_elements()) * x.element_bytes());
    for (Index done = 0; done < depth; done += panel) {
        const Index now = std::min(panel, depth - done);
        assign(columns_of_a.whole().with(1, 0, now), a.whole().with(1, a.lower(1) + done, now));
        assign(rows_of_b.whole().with(0, 0, now), b.whole().with(0, b.lower(0) + done, now));
        multiply_panels(multiply, sum, columns_of_a, rows_of_b, now, x.order());
    }
    assign(x.whole(), sum.whole());
}

}  // namespace kumihimo::arrays
