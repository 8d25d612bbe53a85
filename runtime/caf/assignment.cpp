#include "runtime/caf/assignment.hpp"

#include <cstring>

#include "base/format.hpp"
#include "base/node_number.hpp"
#include "copying/execute.hpp"
#include "runtime/caf/component_memory.hpp"
#include "runtime/caf/conversion.hpp"
#include "runtime/caf/remote_memory.hpp"
#include "runtime/execution/context.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::caf {

namespace {

using sets::Correspondence;

void fetch(const Place& from, std::byte* to, const Correspondence& shape) {
    if (from.blocks != nullptr)
        localview::remote_get(from, to, shape);
    else
        read_process(from.node, from.offset, to, shape);
}

void store(const Place& to, const std::byte* from, const Correspondence& shape) {
    if (to.blocks != nullptr)
        localview::remote_put(to, from, shape);
    else
        write_process(to.node, to.offset, from, shape);
}

// Values of one representation; at least one side is memory of this process.
void copy(const Side& to, const Side& from, const Pairing& pairing) {
    const auto bytes = static_cast<sets::Index>(to.elements.type().bytes);
    pairing.for_each_box([&](std::ptrdiff_t to_offset, std::ptrdiff_t from_offset, Correspondence::Levels levels) {
        const Correspondence box(bytes, levels, to_offset, from_offset);
        if (from.place.direct == nullptr)
            fetch(from.place, to.place.direct, box);
        else if (to.place.direct == nullptr)
            store(to.place, from.place.direct, box);
        else
            copying::execute(box.ascending(sets::End::from), to.place.direct, from.place.direct);
    });
}

// Memory of this process for as many elements as a side has.
class Between {
public:
    Between(const Elements& like, const ElementType& type)
        : memory_(like.count() * type.bytes), side_{memory_here(memory_.data()), like.dense(type)} {}
    const Side& side() const { return side_; }

private:
    std::vector<std::byte> memory_;
    Side side_;
};

bool meet(const Side& a, const Side& b) {
    if (a.place.node != b.place.node || a.place.direct == nullptr || b.place.direct == nullptr) return false;
    const auto at_a = reinterpret_cast<std::intptr_t>(a.place.direct), at_b = reinterpret_cast<std::intptr_t>(b.place.direct);
    const Elements::Extent in_a = a.elements.extent(), in_b = b.elements.extent();
    return at_a + in_a.first < at_b + in_b.end && at_b + in_b.first < at_a + in_a.end;
}

void assign_by(const Between& between, const Side& to, const Side& from) {
    assign(between.side(), from);
    assign(to, between.side());
}

}  // namespace

Place moved(Place place, std::ptrdiff_t bytes) {
    place.offset += static_cast<std::size_t>(bytes);
    if (place.direct != nullptr) place.direct += bytes;
    return place;
}

Place memory_here(void* address) {
    return {nullptr, execution::Context::get().world_rank(), 0, static_cast<std::byte*>(address)};
}

Place memory_of_process(int node, void* address) {
    if (node == execution::Context::get().world_rank()) return memory_here(address);
    const auto there = reinterpret_cast<std::uintptr_t>(address);
    return {nullptr, node, there, mapped_component(node, there)};
}

int node_of_image(int image) {
    const XMP_Images& images = XMP_current_images;
    const int other = image - XMP_FIRST_OTHER_IMAGE;  // a coarray directive counts in other nodes
    if (other >= 0 && other < execution::Context::get().world_size()) return other;
    if (image < 1 || image > images.count)
        throw base::Error(
            fmt::format("there is no image {}: the current team has {}", image, base::counted(images.count, "image")),
            "Image indices count from 1. image_index() and this_image() tell them of cosubscripts.");
    return images.node[image - 1];
}

int status_of(int image) {
    if (localview::failure_of(node_of_image(image)) == localview::Failure::none) return stat_success;
    localview::note_failures_told();
    return stat_failed_image;
}

void check_inside(const Token& token, std::size_t offset, int image, const Elements& elements) {
    const auto at = static_cast<std::ptrdiff_t>(offset);
    const Elements::Extent extent = elements.empty() ? Elements::Extent{0, 0} : elements.extent();
    if (at + extent.first < 0 || at + extent.end > static_cast<std::ptrdiff_t>(token.bytes))
        throw base::Error(fmt::format("bytes {} to {} are outside of the coarray, which has {} on image {}", at + extent.first,
                                      at + extent.end - 1, base::bytes_text(token.bytes), image),
                          "Compile with -fcheck=bounds, which names the subscript.");
}

Place place_in(const Token& token, std::size_t offset, int image) {
    const int node = node_of_image(image);
    char* const block = token.direct[node];
    return {token.coarray->blocks.get(), node, offset,
            block == nullptr ? nullptr : reinterpret_cast<std::byte*>(block) + offset};
}

void read_bytes(const Place& from, void* to, std::size_t bytes) {
    if (from.direct != nullptr)
        std::memcpy(to, from.direct, bytes);
    else
        fetch(from, static_cast<std::byte*>(to), Correspondence(static_cast<sets::Index>(bytes)));
}

Side side_here(const Descriptor& descriptor, int kind) {
    return {memory_here(descriptor.base), elements_of(descriptor, kind, nullptr)};
}

void assign(const Side& to, const Side& from) {
    const Pairing pairing(to.elements, from.elements);
    if (to.elements.empty()) return;
    const ElementType &to_type = to.elements.type(), &from_type = from.elements.type();
    const bool same = same_representation(to_type, from_type);
    const bool to_here = to.place.direct != nullptr, from_here = from.place.direct != nullptr;
    if (meet(to, from))
        assign_by(Between(from.elements, from_type), to, from);
    else if (same && (to_here || from_here))
        copy(to, from, pairing);
    else if (!from_here)
        assign_by(Between(from.elements, from_type), to, from);
    else if (!to_here)
        assign_by(Between(from.elements, to_type), to, from);
    else
        convert(to.place.direct, to_type, from.place.direct, from_type, pairing);
}

}  // namespace kumihimo::caf
