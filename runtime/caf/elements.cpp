#include "runtime/caf/elements.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/format.hpp"

namespace kumihimo::caf {

void Elements::add_axis(std::int64_t count, std::ptrdiff_t stride) {
    if (count != 1) axes_[static_cast<std::size_t>(rank_++)] = {std::max<std::int64_t>(count, 0), stride, nullptr};
}

void Elements::add_axis(std::vector<std::ptrdiff_t> places) {
    if (places.size() == 1) return move(places.front());
    auto& kept = places_.emplace_back(std::make_unique<std::ptrdiff_t[]>(places.size()));
    std::copy(places.begin(), places.end(), kept.get());
    axes_[static_cast<std::size_t>(rank_++)] = {static_cast<std::int64_t>(places.size()), 0, kept.get()};
}

bool Elements::empty() const {
    return std::any_of(axes_.begin(), axes_.begin() + rank_, [](const Axis& axis) { return axis.count == 0; });
}

std::size_t Elements::count() const {
    std::size_t product = 1;
    for (int d = 0; d < rank_; ++d) product *= static_cast<std::size_t>(axis(d).count);
    return product;
}

Elements Elements::dense(const ElementType& type) const {
    Elements result(type);
    auto stride = static_cast<std::ptrdiff_t>(type.bytes);
    for (int d = 0; d < rank_; ++d) {
        result.add_axis(axis(d).count, stride);
        stride *= axis(d).count;
    }
    return result;
}

Elements::Extent Elements::extent() const {
    Extent extent{first_, first_ + static_cast<std::ptrdiff_t>(type_.bytes)};
    for (int d = 0; d < rank_; ++d) {
        const Axis& along = axis(d);
        const std::ptrdiff_t reach = (along.count - 1) * along.stride;
        const auto places =
            along.places == nullptr ? std::pair{std::min<std::ptrdiff_t>(reach, 0), std::max<std::ptrdiff_t>(reach, 0)} : [&] {
                const auto [least, most] = std::minmax_element(along.places, along.places + along.count);
                return std::pair{*least, *most};
            }();
        extent.first += places.first;
        extent.end += places.second;
    }
    return extent;
}

std::int64_t integer_at(const void* values, std::size_t index, int kind) {
    switch (kind) {
        case 1:
            return static_cast<const std::int8_t*>(values)[index];
        case 2:
            return static_cast<const std::int16_t*>(values)[index];
        case 4:
            return static_cast<const std::int32_t*>(values)[index];
        case 8:
            return static_cast<const std::int64_t*>(values)[index];
        case 16:
            return static_cast<const std::int64_t*>(values)[2 * index];  // no subscript needs the upper half
        default:
            throw base::Error(fmt::format("a vector subscript of kind {}", kind));
    }
}

namespace {

std::ptrdiff_t stride_unit(const Descriptor& descriptor) {
    return descriptor.span != 0 ? descriptor.span : static_cast<std::ptrdiff_t>(descriptor.type.element_bytes);
}

// The subscripts of one dimension, which count from `lower`.
void add_subscripts(Elements& elements, const VectorSubscript& subscript, std::ptrdiff_t lower, std::ptrdiff_t stride) {
    if (subscript.elements == 0) {
        const auto& triplet = subscript.triplet;
        elements.move((triplet.lower - lower) * stride);
        const std::ptrdiff_t step = triplet.stride == 0 ? 1 : triplet.stride;
        return elements.add_axis((triplet.upper - triplet.lower + step) / step, step * stride);
    }
    std::vector<std::ptrdiff_t> places(subscript.elements);
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = (integer_at(subscript.vector.values, i, subscript.vector.kind) - lower) * stride;
    elements.add_axis(std::move(places));
}

}  // namespace

Elements elements_of(const Descriptor& descriptor, int kind, const VectorSubscript* subscripts) {
    Elements elements({static_cast<BasicType>(descriptor.type.type), kind, descriptor.type.element_bytes});
    const std::ptrdiff_t unit = stride_unit(descriptor);
    for (int d = 0; d < descriptor.type.rank; ++d) {
        const DescriptorDimension& dimension = descriptor.dimension[d];
        if (subscripts != nullptr)
            add_subscripts(elements, subscripts[d], dimension.lower, dimension.stride * unit);
        else
            elements.add_axis(dimension.upper - dimension.lower + 1, dimension.stride * unit);
    }
    return elements;
}

namespace {

std::string shape_text(const Elements& elements) {
    std::string text;
    for (int d = 0; d < elements.rank(); ++d) text += (d == 0 ? "(" : ", ") + std::to_string(elements.axis(d).count);
    return text.empty() ? "one element" : "the shape " + text + ")";
}

// Whether `from` has an element for each of `to`. It may have more: gfortran's own assignments take what they need.
bool suffices(const Elements& to, const Elements& from) {
    if (to.rank() != from.rank()) return false;
    for (int d = 0; d < to.rank(); ++d)
        if (to.axis(d).count > from.axis(d).count) return false;
    return true;
}

}  // namespace

Pairing::Pairing(const Elements& to, const Elements& from) : to_first_(to.first()), from_first_(from.first()) {
    const bool one = from.rank() == 0;
    if (!one && !suffices(to, from))
        throw base::Error(fmt::format("{} is assigned to {}", shape_text(from), shape_text(to)),
                          "Both sides of an assignment have the same shape, or the right one is a scalar.");
    for (int d = to.rank(); d-- > 0;) {  // the outermost loop first
        const Axis& target = to.axis(d);
        const Axis source = one ? Axis{target.count, 0, nullptr} : from.axis(d);
        if (target.places == nullptr && source.places == nullptr)
            even_loops_[static_cast<std::size_t>(even_++)] = {target.count, target.stride, source.stride};
        else
            uneven_pairs_[static_cast<std::size_t>(uneven_++)] = {target.count, target, source};
    }
}

}  // namespace kumihimo::caf
