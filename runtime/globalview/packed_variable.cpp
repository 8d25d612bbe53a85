#include "runtime/globalview/packed_variable.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "copying/execute.hpp"

namespace kumihimo::globalview {

namespace {

void check_replicated(const Side& side, const execution::NodeSet& set) {
    if (side.array == nullptr) return;
    std::vector<int> numbers;
    for (const int rank : set.world_ranks()) {
        numbers.push_back(side.array->set->number_of(rank));
        if (numbers.back() < 0)
            throw base::Error(fmt::format("{} has nothing on node {} of the entire set, which takes part", side.text(),
                                          base::node_number(rank)),
                              "Name with `on` nodes that hold the same elements.");
    }
    const int other = first_different_holder(side.geometry, numbers);
    if (other < 0) return;
    throw base::Error(
        fmt::format("{} is distributed over the nodes that take part: nodes {} and {} of the entire set hold other elements",
                    side.text(), base::node_number(set.world_rank(0)), base::node_number(set.world_rank(other))),
        "Use a local variable, or name with `on` nodes that hold the same elements.");
}

Side checked(const XMP_Side& given, const execution::NodeSet& set) {
    check_rank(given);
    Side side = resolve(given);
    check_replicated(side, set);
    return side;
}

}  // namespace

PackedVariable::PackedVariable(const XMP_Side& given, const execution::NodeSet& set) : PackedVariable(checked(given, set)) {}

PackedVariable::PackedVariable(const Side& side)
    : base_(side.base()), type_(side.type), element_bytes_(side.geometry.element_bytes) {
    packing_ = plan_packing(side.geometry, side.array == nullptr ? std::vector<Index>() : side.array->nodes().coordinates);
    elements_ = static_cast<std::size_t>(packing_.elements);
}

std::byte* PackedVariable::place(bool packs) {
    if (packing_.in_place()) return base_ + packing_.gather.front().from();
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes());
    if (packs) copying::execute(packing_.gather, copy_.get(), base_);
    return copy_.get();
}

void PackedVariable::unpack() {
    if (!copy_) return;
    copying::execute(packing_.scatter, base_, copy_.get());
    copy_.reset();
}

}  // namespace kumihimo::globalview

void XMP_Copy_elements(int rank, size_t element_bytes, const XMP_Index* extents, void* to, const XMP_Index* to_strides,
                       const void* from, const XMP_Index* from_strides) {
    using kumihimo::sets::Correspondence;
    kumihimo::sets::PairedLevel levels[Correspondence::most_levels];
    for (int d = 0; d < rank; ++d) levels[rank - 1 - d] = {extents[d], to_strides[d], from_strides[d]};
    kumihimo::copying::execute(
        Correspondence(static_cast<kumihimo::sets::Index>(element_bytes), {levels, static_cast<std::size_t>(rank)}),
        static_cast<std::byte*>(to), static_cast<const std::byte*>(from));
}
