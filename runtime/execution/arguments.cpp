// Global arrays as arguments (specification chapter 6): the callee's declaration finds the caller's array by its address.
// Called at every entry of a procedure with a global dummy argument, so the common case compares a few numbers and allocates
// nothing.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/execution/array_table.hpp"

namespace kumihimo::execution {

namespace {

constexpr std::size_t most_foreign = 256;

bool same_alignment(const Array& array, const ArrayDeclaration& declaration) {
    for (int d = 0; d < array.rank; d++)
        if (array.alignment[d].template_dimension != declaration.align[d].onto ||
            array.alignment[d].offset != declaration.align[d].offset)
            return false;
    return true;
}

bool same_shadow(const Array& array, const ArrayDeclaration& declaration) {
    for (int d = 0; d < array.rank; d++) {
        const sets::Shadow& mine = array.shadow[d];
        const XMP_Width theirs = declaration.shadow == nullptr ? XMP_Width{0, 0, XMP_WIDTH_PLAIN} : declaration.shadow[d];
        if (mine.full != (theirs.modifier == XMP_WIDTH_FULL)) return false;
        if (!mine.full && (mine.lower != theirs.lower || mine.upper != theirs.upper)) return false;
    }
    return true;
}

// The template of a view may be gone; its mapping is the view's own.
bool same_target(const Array& array, const XMP_Template& target) {
    if (array.owner && array.target == &target) return true;
    return array.set == target.nodes->set && array.mapping->target() == *target.mapping;
}

bool matches(const Array& array, const ArrayDeclaration& declaration) {
    return array.allocated() && array.rank == declaration.rank && array.element_bytes == declaration.element_bytes &&
           array.type == declaration.type && (array.order == sets::Order::row_major) == (declaration.order == XMP_ROW_MAJOR) &&
           same_bounds(array, declaration.bounds) && same_alignment(array, declaration) && same_shadow(array, declaration) &&
           same_target(array, *declaration.target);
}

// A descriptor for another mapping of the same memory.
std::unique_ptr<Array> make_view(const ArrayDeclaration& declaration, Array* owner, void* base) {
    std::unique_ptr<Array> view = describe(declaration);
    view->owner = false;
    map_array(*view, declaration.bounds);
    if (owner != nullptr && owner->allocated_bytes() < view->allocated_bytes())
        throw base::Error(fmt::format("array {} is passed for argument {}, which needs {}, but has only {} on this node",
                                      owner->name, declaration.name, base::bytes_text(view->allocated_bytes()),
                                      base::bytes_text(owner->allocated_bytes())),
                          "Give the argument the mapping of the array that is passed.");
    if (owner != nullptr)
        share_memory(*view, *owner, base);
    else
        set_base(*view, base);
    Context::get().add_object(static_cast<XMP_Array*>(view.get()), Kind::array);
    return view;
}

Array* reuse(Array& view, const ArrayDeclaration& declaration) {
    view.target = declaration.target;  // of this call; the last call's may be gone
    view.references++;
    return &view;
}

Array* view_of_owner(Array& owner, const ArrayDeclaration& declaration, void* base) {
    for (const auto& view : owner.views)
        if (matches(*view, declaration)) return reuse(*view, declaration);
    owner.views.push_back(make_view(declaration, &owner, base));
    return owner.views.back().get();
}

void drop_unused_foreign(std::list<std::unique_ptr<Array>>& foreign) {
    for (auto view = foreign.end(); foreign.size() > most_foreign && view != foreign.begin();) {
        --view;
        if ((*view)->references > 0) continue;
        Context::get().remove_object(static_cast<XMP_Array*>(view->get()));
        view = foreign.erase(view);
    }
}

Array* view_of_foreign(const ArrayDeclaration& declaration, void* base) {
    auto& foreign = ArrayTable::get().foreign;
    const auto known = std::find_if(foreign.begin(), foreign.end(),
                                    [&](const auto& view) { return view->base == base && matches(*view, declaration); });
    if (known != foreign.end()) return reuse(**known, declaration);
    foreign.push_front(make_view(declaration, nullptr, base));
    drop_unused_foreign(foreign);
    return foreign.front().get();
}

}  // namespace

namespace {

// `double a[][M]` does not say how many rows it has: as many as the array that is passed, or else as the template allows.
std::array<XMP_Bounds, XMP_MAX_RANK> complete_bounds(const ArrayDeclaration& declaration, const Array* owner) {
    std::array<XMP_Bounds, XMP_MAX_RANK> bounds{};
    for (int d = 0; d < declaration.rank; d++) {
        bounds[d] = declaration.bounds == nullptr ? XMP_Bounds{0, XMP_OPEN} : declaration.bounds[d];
        if (bounds[d].upper != XMP_OPEN) continue;
        const XMP_Align& align = declaration.align[d];
        if (owner != nullptr && owner->allocated() && owner->rank == declaration.rank)
            bounds[d] = (*owner->bounds)[d];
        else if (align.onto >= 0)
            bounds[d].upper = (*declaration.target->bounds)[align.onto].upper - align.offset;
        else
            throw base::Error(fmt::format("the extent of dimension {} of argument {} is not known", d + 1, declaration.name),
                              "Declare the argument with this extent, or align the dimension with the template.");
    }
    return bounds;
}

}  // namespace

XMP_Array* argument_array(const ArrayDeclaration& given, void* base) {
    ArrayDeclaration declaration = given;
    if (declaration.target->nodes == nullptr || !declaration.target->fixed())
        throw base::Error(fmt::format("argument {} is aligned with template {}, which is not fixed yet", declaration.name,
                                      declaration.target->name));
    Array* const owner = base == nullptr ? nullptr : owner_of(base);
    const auto bounds = complete_bounds(declaration, owner);
    declaration.bounds = bounds.data();
    if (owner == nullptr) return view_of_foreign(declaration, base);
    if (!matches(*owner, declaration)) return view_of_owner(*owner, declaration, base);
    owner->references++;
    return owner;
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

extern "C" XMP_Array* XMP_Array_argument(const XMP_Site* site, const char* name, int order, int type, size_t element_bytes,
                                         int rank, const XMP_Bounds* bounds, XMP_Template* target, const XMP_Align* align,
                                         const XMP_Width* shadow, void* base) {
    return guarded(site, [&] {
        return argument_array({name, order, type, element_bytes, rank, bounds, target, align, shadow}, base);
    });
}
