// xmp_pack and xmp_unpack: element order is the order of whole slices along the slowest dimension. So each node gets some of
// these slices, and what it selects from them follows what the nodes before it select.
#include <cstring>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/arrays/exchange.hpp"
#include "runtime/arrays/functions.hpp"
#include "runtime/arrays/work.hpp"

namespace kumihimo::arrays {

namespace {

using execution::Context;

// The slowest dimension that has more than one element: the others before it do not change the order.
int dimension_of_slices(const Operand& a) {
    const bool rows = a.order() == sets::Order::row_major;
    for (int place = 0; place < a.rank(); ++place) {
        const int d = rows ? place : a.rank() - 1 - place;
        if (a.extent(d) > 1) return d;
    }
    return rows ? 0 : a.rank() - 1;
}

// This node's slices of an array, one element after the other in element order, and which of them are selected.
class Slices {
public:
    Slices(const Operand& a, const Operand* mask)
        : a_(a),
          layout_(Layout::pieces(a.rank(), dimension_of_slices(a), equal_pieces(a.extent(dimension_of_slices(a))))),
          values_(layout_, element_of(a), a.order(), a.extents()) {
        if (mask == nullptr) return;
        mask_.emplace(layout_, mask->type() == XMP_TYPE_LOGICAL ? element_of(*mask) : Element{XMP_TYPE_BOOL, sizeof(bool)},
                      a.order(), a.extents());
        assign(mask_->whole(), mask->whole());
    }

    WorkArray& values() { return values_; }
    bool all() const { return !mask_; }
    bool selected(Index element) const {
        return mask_->array().type == XMP_TYPE_LOGICAL ? mask_->data_as<std::int32_t>()[element] != 0
                                                       : mask_->data_as<bool>()[element];
    }
    Index count() const {
        const Index elements = values_.local_elements();
        if (all()) return elements;
        Index count = 0;
        for (Index element = 0; element < elements; ++element) count += selected(element);
        return count;
    }
    // use(place of the element, place of it among the selected ones)
    template <typename Use>
    void for_each_selected(Use&& use) const {
        const std::size_t bytes = a_.element_bytes();
        std::size_t place = 0;
        for (Index element = 0; element < values_.local_elements(); ++element)
            if (selected(element)) use(static_cast<std::size_t>(element) * bytes, bytes * place++);
    }

private:
    const Operand& a_;
    Layout layout_;
    WorkArray values_;
    std::optional<WorkArray> mask_;
};

void check(const Operand& v, const Operand& a, const Operand* mask) {
    check_rank(v, 1);
    check_same_type(v, a);
    if (mask == nullptr) return;
    check_same_shape(*mask, a);
    const bool truth =
        mask->type() == XMP_TYPE_LOGICAL || (mask->type() >= XMP_TYPE_BOOL && mask->type() <= XMP_TYPE_ULONGLONG);
    if (!truth) throw base::Error(fmt::format("{} has elements that are neither true nor false", mask->text()), "Use _Bool.");
}

// How many elements each node selects; all of them must fit the vector.
std::vector<Index> selected_by_all(const Slices& slices, const Operand& v, const Operand& a) {
    const std::vector<Index> counts =
        gather_all(teams::Team::of(Context::get().executing()), std::vector<Index>{slices.count()});
    const Index total = std::accumulate(counts.begin(), counts.end(), Index{0});
    if (total > v.extent(0))
        throw base::Error(fmt::format("{} has {}, but {} of {} {} selected", v.text(), base::counted(v.extent(0), "element"),
                                      total, a.text(), total == 1 ? "is" : "are"));
    return counts;
}

Index sum_of(const std::vector<Index>& counts) {
    return std::accumulate(counts.begin(), counts.end(), Index{0});
}

}  // namespace

void pack(const Operand& v, const Operand& a, const Operand* mask) {
    check(v, a, mask);
    Slices slices(a, mask);
    WorkArray& values = slices.values();
    const std::vector<Index> counts = selected_by_all(slices, v, a);
    assign(values.whole(), a.whole());
    if (!slices.all())
        slices.for_each_selected([&](std::size_t from, std::size_t to) {
            if (from != to) std::memcpy(values.data() + to, values.data() + from, a.element_bytes());
        });
    const Index total = sum_of(counts);
    const WorkArray vector(Layout::pieces(1, 0, counts), element_of(a), total, values.release());
    assign(v.whole().with(0, v.lower(0), total), vector.whole());
}

void unpack(const Operand& a, const Operand& v, const Operand* mask) {
    check(v, a, mask);
    Slices slices(a, mask);
    WorkArray& values = slices.values();
    const std::vector<Index> counts = selected_by_all(slices, v, a);
    const Index total = sum_of(counts);
    WorkArray vector(Layout::pieces(1, 0, counts), element_of(a), sets::Order::row_major, {total});
    assign(vector.whole(), v.whole().with(0, v.lower(0), total));
    if (slices.all()) {
        std::memcpy(values.data(), vector.data(), static_cast<std::size_t>(values.local_elements()) * a.element_bytes());
    } else {
        assign(values.whole(), a.whole());  // what is not selected stays
        slices.for_each_selected([&](std::size_t to, std::size_t from) {
            std::memcpy(values.data() + to, vector.data() + from, a.element_bytes());
        });
    }
    assign(a.whole(), values.whole());
}

}  // namespace kumihimo::arrays
