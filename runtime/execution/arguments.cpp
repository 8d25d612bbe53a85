// Global arrays as arguments (specification chapter 6): the callee's declaration finds the caller's array by its address, and
// must describe it alike. The specification leaves differences open; they would be shifted memory (decision argument-entry).
// Called at every entry of a procedure with a global dummy argument, so the common case compares a few numbers and allocates
// nothing.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/elements/element_type.hpp"
#include "runtime/execution/array_table.hpp"

namespace kumihimo::execution {

namespace {

constexpr std::size_t most_foreign = 256;

XMP_Width shadow_at(const ArrayDeclaration& declaration, int d) {
    return declaration.shadow == nullptr ? XMP_Width{0, 0, XMP_WIDTH_PLAIN} : declaration.shadow[d];
}

bool same_type(const Array& array, const ArrayDeclaration& declaration) {
    return array.element_bytes == declaration.element_bytes && array.type == declaration.type;
}

bool same_alignment(const Array& array, const ArrayDeclaration& declaration) {
    for (int d = 0; d < array.rank; d++)
        if (array.alignment[d].template_dimension != declaration.align[d].onto ||
            array.alignment[d].offset != declaration.align[d].offset)
            return false;
    return true;
}

bool same_shadow_along(const Array& array, const ArrayDeclaration& declaration, int d) {
    const sets::Shadow& mine = array.shadow[d];
    const XMP_Width theirs = shadow_at(declaration, d);
    if (mine.full || theirs.modifier == XMP_WIDTH_FULL) return mine.full == (theirs.modifier == XMP_WIDTH_FULL);
    return mine.lower == theirs.lower && mine.upper == theirs.upper;
}

bool same_shadow(const Array& array, const ArrayDeclaration& declaration) {
    for (int d = 0; d < array.rank; d++)
        if (!same_shadow_along(array, declaration, d)) return false;
    return true;
}

// The template of a view may be gone; its mapping is the view's own.
bool same_target(const Array& array, const XMP_Template& target) {
    if (array.owner && array.target == &target) return true;
    return array.set == target.nodes->set && array.mapping->target() == *target.mapping;
}

// Fortran's dummy arguments may count from another lower bound.
bool same_extents(const Array& array, const XMP_Bounds* bounds) {
    return std::equal(bounds, bounds + array.rank, array.bounds->begin(),
                      [](const XMP_Bounds& a, const XMP_Bounds& b) { return a.upper - a.lower == b.upper - b.lower; });
}

bool matches(const Array& array, const ArrayDeclaration& declaration) {
    return array.allocated() && array.rank == declaration.rank && same_type(array, declaration) &&
           (array.order == sets::Order::row_major) == (declaration.order == XMP_ROW_MAJOR) &&
           same_bounds(array, declaration.bounds) && same_alignment(array, declaration) && same_shadow(array, declaration) &&
           same_target(array, *declaration.target);
}

// ---- what differs, for the user ----

std::string type_text(int type, std::size_t element_bytes) {
    return type == XMP_TYPE_OTHER ? base::bytes_text(element_bytes) : elements::type_name(type);
}

std::string shadow_text(bool full, Index lower, Index upper) {
    return full ? "[*]" : fmt::format("[{}:{}]", lower, upper);
}

// The first thing in which the array that is passed is not as the argument is declared; the mapping is looked at last.
std::string what_differs(const Array& array, const ArrayDeclaration& declaration) {
    const char* const name = declaration.name;
    if (array.rank != declaration.rank)
        return fmt::format("{} has {}, {} has {}", array.name, base::counted(array.rank, "dimension"), name, declaration.rank);
    if (!same_type(array, declaration))
        return fmt::format("the elements of {} are of type {}, those of {} of type {}", array.name,
                           type_text(array.type, array.element_bytes), name,
                           type_text(declaration.type, declaration.element_bytes));
    for (int d = 0; d < array.rank; d++) {
        const XMP_Bounds &mine = (*array.bounds)[d], &theirs = declaration.bounds[d];
        if (mine.upper - mine.lower != theirs.upper - theirs.lower)
            return fmt::format("dimension {} of {} has the subscripts {} to {}, that of {} has {} to {}", d + 1, array.name,
                               mine.lower, mine.upper, name, theirs.lower, theirs.upper);
        const sets::Shadow& shadow = array.shadow[d];
        const XMP_Width width = shadow_at(declaration, d);
        if (!same_shadow_along(array, declaration, d))
            return fmt::format("dimension {} of {} has the shadow {}, that of {} has {}", d + 1, array.name,
                               shadow_text(shadow.full, shadow.lower, shadow.upper), name,
                               shadow_text(width.modifier == XMP_WIDTH_FULL, width.lower, width.upper));
    }
    return fmt::format("template {} hands out the elements of {} otherwise than template {} those of {}", array.target->name,
                       array.name, declaration.target->name, name);
}

[[noreturn]] void refuse(const Array& array, const ArrayDeclaration& declaration) {
    const XMP_Site* const call = XMP_passed.base == array.base ? XMP_passed.site : nullptr;
    throw base::Error(
        fmt::format("array {}{} is passed for argument {}{}, but {}", array.name,
                    array.declared.file == nullptr ? "" : fmt::format(" ({})", place_text(array.declared)), declaration.name,
                    call == nullptr ? "" : fmt::format(" ({})", place_text(*call)), what_differs(array, declaration)),
        "Declare the argument as the array that is passed: the same type, bounds, mapping and shadow.");
}

// An address at which no global array begins.
[[noreturn]] void refuse_memory(const ArrayDeclaration& declaration, const void* base) {
    if (base == nullptr)
        throw base::Error(fmt::format("NULL is passed for argument {}", declaration.name),
                          "A pointer that is aligned gets its memory by xmp_malloc.");
    if (const Array* const around = array_around(base))
        throw base::Error(
            fmt::format("a part of array {} is passed for argument {}, which is aligned", around->name, declaration.name),
            fmt::format("Pass the whole array, {}, or a section of all elements along its first dimensions, which the argument "
                        "must describe as the array does.",
                        around->name));
    throw base::Error(
        fmt::format("what is passed for argument {} is no global array", declaration.name),
        "Align the array that is passed like the argument, or get its memory by xmp_malloc. Other memory is taken "
        "as each node's part only in programs that begin by xmp_init.");
}

// A descriptor for another mapping of the same memory.
std::unique_ptr<Array> make_view(const ArrayDeclaration& declaration, Array* owner, void* base) {
    std::unique_ptr<Array> view = describe(declaration);
    view->owner = false;
    map_array(*view, declaration.bounds);
    if (owner != nullptr)
        share_memory(*view, *owner, base);
    else
        set_base(*view, base);
    return view;
}

Array* reuse(Array& view, const ArrayDeclaration& declaration) {
    view.target = declaration.target;  // of this call; the last call's may be gone
    view.references++;
    return &view;
}

// Another mapping may lay out the memory alike: templates and alignments that differ by the same distance, for instance.
Array* view_of_owner(Array& owner, const ArrayDeclaration& declaration, void* base) {
    for (const auto& view : owner.views)
        if (matches(*view, declaration)) return reuse(*view, declaration);
    if (owner.rank != declaration.rank || !same_type(owner, declaration) || !same_extents(owner, declaration.bounds) ||
        !same_shadow(owner, declaration))
        refuse(owner, declaration);
    std::unique_ptr<Array> view = make_view(declaration, &owner, base);
    if (owner.set != view->set || !owner.mapping->same_blocks(*view->mapping)) refuse(owner, declaration);
    Context::get().add_object(static_cast<XMP_Array*>(view.get()), Kind::array);
    owner.views.push_back(std::move(view));
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

Array* known_foreign(const ArrayDeclaration& declaration, const void* base) {
    auto& foreign = ArrayTable::get().foreign;
    const auto known = std::find_if(foreign.begin(), foreign.end(),
                                    [&](const auto& view) { return view->base == base && matches(*view, declaration); });
    return known == foreign.end() ? nullptr : reuse(**known, declaration);
}

Array* keep_foreign(std::unique_ptr<Array> view) {
    auto& foreign = ArrayTable::get().foreign;
    foreign.push_front(std::move(view));
    Array* const kept = foreign.front().get();
    Context::get().add_object(static_cast<XMP_Array*>(kept), Kind::array);
    drop_unused_foreign(foreign);
    return kept;
}

Array* view_of_foreign(const ArrayDeclaration& declaration, void* base) {
    Array* const known = known_foreign(declaration, base);
    return known != nullptr ? known : keep_foreign(make_view(declaration, nullptr, base));
}

// Whether the memory is `whole(:, ..., :, i, ...)` as this node stores it (in C: whole[i]...): whole blocks of the dimensions
// that vary fastest, which the argument describes as the array does.
bool is_section(const Array& whole, const Array& view, const ArrayDeclaration& declaration) {
    const int first = whole.order == sets::Order::row_major ? whole.rank - view.rank : 0;
    if (whole.order != view.order || whole.set != view.set || !same_type(whole, declaration)) return false;
    for (int d = 0; d < view.rank; d++)
        if (whole.dimension[first + d].length != view.dimension[d].length || whole.shadow[first + d] != view.shadow[d] ||
            whole.mapping->node_dimension(first + d) != view.mapping->node_dimension(d) ||
            whole.mapping->extent(first + d) != view.mapping->extent(d))
            return false;
    const std::size_t bytes = view.allocated_bytes();
    const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(view.base) - static_cast<std::byte*>(whole.base));
    return bytes == 0 ? offset == 0 : offset % bytes == 0;
}

// Sequence association of a section (6.2.1): each node's part is memory of its own, because it lies elsewhere in other nodes'
// blocks, which may have other sizes.
Array* view_of_section(const Array& whole, const ArrayDeclaration& declaration, void* base) {
    Array* const known = known_foreign(declaration, base);
    if (known != nullptr) return is_section(whole, *known, declaration) ? known : nullptr;
    std::unique_ptr<Array> view = make_view(declaration, nullptr, base);
    if (!is_section(whole, *view, declaration)) return nullptr;
    return keep_foreign(std::move(view));
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
            bounds[d].upper = bounds[d].lower + (*owner->bounds)[d].upper - (*owner->bounds)[d].lower;
        else if (align.onto >= 0)
            bounds[d].upper = (*declaration.target->bounds)[align.onto].upper - align.offset;
        else
            throw base::Error(fmt::format("the extent of dimension {} of argument {} is not known", d + 1, declaration.name),
                              "Declare the argument with this extent, or align the dimension with the template.");
    }
    return bounds;
}

}  // namespace

namespace {

Array& find_or_view(ArrayDeclaration declaration, void* base, bool any_memory) {
    if (declaration.target->nodes == nullptr || !declaration.target->fixed())
        throw base::Error(fmt::format("argument {} is aligned with template {}, which is not fixed yet", declaration.name,
                                      declaration.target->name));
    Array* const owner = base == nullptr ? nullptr : owner_of(base);
    const auto bounds = complete_bounds(declaration, base == nullptr ? nullptr : array_at(base));
    declaration.bounds = bounds.data();
    const Array* const whole = owner != nullptr || base == nullptr ? owner : array_around(base);
    if (whole != nullptr && whole->rank > declaration.rank)
        if (Array* const section = view_of_section(*whole, declaration, base)) return *section;
    if (owner == nullptr) {
        if (!any_memory && declaration.target->nodes->member()) refuse_memory(declaration, base);
        return *view_of_foreign(declaration, base);
    }
    if (!matches(*owner, declaration)) return *view_of_owner(*owner, declaration, base);
    owner->references++;
    return *owner;
}

}  // namespace

XMP_Array* argument_array(const ArrayDeclaration& declaration, void* base) {
    return &find_or_view(declaration, base, !started_with_program);
}

XMP_Array* memory_as_array(const ArrayDeclaration& declaration, void* base) {
    return &find_or_view(declaration, base, true);
}

}  // namespace kumihimo::execution

using namespace kumihimo::execution;

XMP_Passing XMP_passed = {nullptr, nullptr};

extern "C" XMP_Array* XMP_Array_argument(const XMP_Site* site, const char* name, int order, int type, size_t element_bytes,
                                         int rank, const XMP_Bounds* bounds, XMP_Template* target, const XMP_Align* align,
                                         const XMP_Width* shadow, void* base) {
    return guarded(site, [&] {
        return argument_array({name, order, type, element_bytes, rank, bounds, target, align, shadow}, base);
    });
}
