#include "runtime/caf/reference.hpp"

#include <cstddef>

#include "base/format.hpp"
#include "runtime/execution/context.hpp"

namespace kumihimo::caf {

namespace {

class NotThere : public base::Error {
    using base::Error::Error;
};

int rank_of(const Reference& reference) {
    int rank = 0;
    while (rank < most_rank && reference.array.mode[rank] != SubscriptMode::none) ++rank;
    return rank;
}

// The elements first, first + step, ... up to last.
struct Triplet {
    std::ptrdiff_t first, last, step;
    std::ptrdiff_t count() const {
        const std::ptrdiff_t reach = step == 0 ? -1 : (last - first) / step;
        return reach < 0 || (step > 0 ? last < first : last > first) ? 0 : reach + 1;
    }
};

class Walk {
public:
    Walk(const Token& token, int image, const ElementType& type)
        : token_(token), image_(image), place_(place_in(token, 0, image)), elements_(type) {
        if (token.descriptor != nullptr) descriptor_ = token.descriptor;
    }

    void step(const Reference& reference) {
        switch (reference.kind) {
            case ReferenceKind::component:
                return enter_component(reference);
            case ReferenceKind::array:
                return enter_array(reference);
            case ReferenceKind::static_array:
                return enter_static_array(reference);
        }
        throw base::Error(fmt::format("an unknown kind of reference: {}", static_cast<int>(reference.kind)),
                          "This library knows the interface of gfortran 8 to 14.");
    }

    // Descriptors and addresses that are on the way lie inside the block, or in memory that was found by one.
    Part finish(const ElementType& type) {
        elements_.change_type(type);
        if (place_.blocks != nullptr) check_inside(token_, place_.offset, image_, elements_);
        return {{place_, std::move(elements_)}, std::move(shape_)};
    }

    const Place& place() const { return place_; }

private:
    void enter_component(const Reference& reference) {
        advance(reference.component.offset);
        const bool array = reference.next != nullptr && reference.next->kind == ReferenceKind::array;
        if (!array && reference.component.token_offset == 0) return;
        if (elements_.rank() > 0)
            throw base::Error("a section of objects is followed by an allocatable or pointer component",
                              "Fortran allows that of one object only: use a loop.");
        enter_memory(array ? read_descriptor(*reference.next) : read_value<void*>(0));
    }

    void advance(std::ptrdiff_t bytes) {
        if (elements_.rank() == 0)
            place_ = moved(place_, bytes);
        else
            elements_.move(bytes);
    }

    template <typename Value>
    Value read_value(std::ptrdiff_t offset) const {
        Value value;
        const Place at = moved(place_, offset);
        if (place_.blocks != nullptr) check_inside(token_, at.offset, image_, Elements({BasicType::derived, 0, sizeof value}));
        read_bytes(at, &value, sizeof value);
        return value;
    }

    // Copies it, which is as long as its rank says, and returns its address.
    void* read_descriptor(const Reference& subscripts) {
        const auto rank = static_cast<std::size_t>(rank_of(subscripts));
        const std::size_t bytes = offsetof(Descriptor, dimension) + rank * sizeof(DescriptorDimension);
        if (place_.blocks != nullptr) check_inside(token_, place_.offset, image_, Elements({BasicType::derived, 0, bytes}));
        read_bytes(place_, &copy_, bytes);
        descriptor_ = &copy_;
        return copy_.base;
    }

    void enter_memory(void* address) {
        if (address == nullptr)
            throw NotThere(fmt::format("a component is not allocated or associated on image {}", image_),
                           "allocated(a[k]%b) and associated tell.");
        place_ = memory_of_process(place_.node, address);
    }

    void enter_array(const Reference& reference) {
        if (descriptor_ == nullptr) throw base::Error("an array whose bounds are not known", "It is none of a coarray.");
        const auto item = static_cast<std::ptrdiff_t>(reference.item_bytes);
        const std::ptrdiff_t unit = descriptor_->span != 0 ? descriptor_->span : item;
        for (int d = 0; d < rank_of(reference); ++d) enter_dimension(reference, d, descriptor_->dimension[d], unit);
    }

    void enter_dimension(const Reference& reference, int d, const DescriptorDimension& bounds, std::ptrdiff_t unit) {
        const auto& subscript = reference.array.dimension[d];
        const std::ptrdiff_t stride = bounds.stride * unit;
        switch (const SubscriptMode mode = reference.array.mode[d]) {
            case SubscriptMode::vector: {
                std::vector<std::ptrdiff_t> places(subscript.vector.elements);
                for (std::size_t i = 0; i < places.size(); ++i) {
                    const std::ptrdiff_t index = integer_at(subscript.vector.values, i, subscript.vector.kind);
                    check_bounds(index, bounds, d);
                    places[i] = (index - bounds.lower) * stride;
                }
                return add_places(std::move(places));
            }
            case SubscriptMode::single:
                check_bounds(subscript.range.start, bounds, d);
                return advance((subscript.range.start - bounds.lower) * stride);
            default:
                return add_triplet(triplet_of(mode, subscript.range, bounds), bounds, stride, d);
        }
    }

    template <typename Range>
    static Triplet triplet_of(SubscriptMode mode, const Range& range, const DescriptorDimension& bounds) {
        const bool backward = range.stride < 0;
        const bool open_start = mode == SubscriptMode::full || mode == SubscriptMode::open_start;
        const bool open_end = mode == SubscriptMode::full || mode == SubscriptMode::open_end;
        return {open_start ? (backward ? bounds.upper : bounds.lower) : range.start,
                open_end ? (backward ? bounds.lower : bounds.upper) : range.end, range.stride};
    }

    void add_triplet(const Triplet& triplet, const DescriptorDimension& bounds, std::ptrdiff_t stride, int d) {
        const std::ptrdiff_t count = triplet.count();
        if (count > 0) {
            check_bounds(triplet.first, bounds, d);
            check_bounds(triplet.first + (count - 1) * triplet.step, bounds, d);
            elements_.move((triplet.first - bounds.lower) * stride);
        }
        shape_.push_back(count);
        elements_.add_axis(count, triplet.step * stride);
    }

    void add_places(std::vector<std::ptrdiff_t> places) {
        shape_.push_back(static_cast<std::int64_t>(places.size()));
        elements_.add_axis(std::move(places));
    }

    void check_bounds(std::ptrdiff_t index, const DescriptorDimension& bounds, int d) const {
        if (index < bounds.lower || index > bounds.upper)
            throw base::Error(fmt::format("subscript {} of dimension {} is outside of {}:{}, the bounds on image {}", index,
                                          d + 1, bounds.lower, bounds.upper, image_),
                              "Bounds of components may differ from image to image.");
    }

    // Subscripts count elements of the array in memory, from its first one.
    void enter_static_array(const Reference& reference) {
        const auto item = static_cast<std::ptrdiff_t>(reference.item_bytes);
        for (int d = 0; d < rank_of(reference); ++d) {
            const auto& subscript = reference.array.dimension[d];
            const auto& range = subscript.range;
            switch (reference.array.mode[d]) {
                case SubscriptMode::vector: {
                    std::vector<std::ptrdiff_t> places(subscript.vector.elements);
                    for (std::size_t i = 0; i < places.size(); ++i)
                        places[i] = integer_at(subscript.vector.values, i, subscript.vector.kind) * item;
                    add_places(std::move(places));
                    break;
                }
                case SubscriptMode::single:
                    advance(range.start * item);
                    break;
                default:
                    const bool full = reference.array.mode[d] == SubscriptMode::full;
                    const Triplet triplet{full ? 0 : range.start, range.end, range.stride};
                    elements_.move(triplet.first * item);
                    shape_.push_back(triplet.count());
                    elements_.add_axis(triplet.count(), triplet.step * item);
            }
        }
    }

    const Token& token_;
    int image_;
    Place place_;
    Elements elements_;
    std::vector<std::int64_t> shape_;
    const Descriptor* descriptor_ = nullptr;  // of the array that the next reference has subscripts of
    Descriptor copy_;
};

}  // namespace

Part follow(const Token& token, int image, const Reference* reference, BasicType type, int kind) {
    ElementType element{type, kind, token.bytes};
    Walk walk(token, image, element);
    for (; reference != nullptr; reference = reference->next) {
        walk.step(*reference);
        element.bytes = reference->item_bytes;
    }
    return walk.finish(element);
}

bool is_present(const Token& token, int image, const Reference* reference) {
    Walk walk(token, image, {BasicType::derived, 0, 0});
    try {
        for (; reference != nullptr; reference = reference->next) walk.step(*reference);
        return true;
    } catch (const NotThere&) {
        return false;
    }
}

namespace {

bool all_elements(const Reference& reference) {
    for (int d = 0; d < rank_of(reference); ++d)
        if (reference.array.mode[d] != SubscriptMode::full || reference.array.dimension[d].range.stride != 1) return false;
    return true;
}

// Whether the chain ends with this component, or with all of its elements.
bool is_whole(const Reference& reference) {
    if (reference.kind != ReferenceKind::component || reference.component.token_offset == 0) return false;
    const Reference* const next = reference.next;
    return next == nullptr || (next->kind == ReferenceKind::array && next->next == nullptr && all_elements(*next));
}

}  // namespace

std::optional<Whole> whole_here(const Token& token, int image, const Reference* reference) {
    if (node_of_image(image) != execution::Context::get().world_rank()) return std::nullopt;
    Walk walk(token, image, {BasicType::derived, 0, 0});
    for (; reference != nullptr && !is_whole(*reference); reference = reference->next) walk.step(*reference);
    if (reference == nullptr) return std::nullopt;
    std::byte* const object = walk.place().direct;
    return Whole{object + reference->component.offset, reinterpret_cast<void**>(object + reference->component.token_offset),
                 reference->next != nullptr};
}

}  // namespace kumihimo::caf
