// Lookup of coarrays (specification 5.3, 5.7.1): what image indices count changes with tasks and with `coarray on`.
#include "runtime/localview/coarrays.hpp"

#include <algorithm>
#include <list>
#include <map>

#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/array_table.hpp"
#include "runtime/localview/job_transport.hpp"

namespace kumihimo::localview {

namespace {

using execution::Array;
using execution::Context;

// A global array that was used as coarray; valid as long as its memory is this.
struct LocalSection {
    Coarray coarray;
    std::weak_ptr<memory::Segment> memory;
};

struct Registry {
    std::list<Coarray> declared;                 // in the order of declaration, the same on every image
    std::map<std::uintptr_t, Coarray*> by_base;  // of `declared`
    std::map<const Array*, LocalSection> local_sections;
    std::int64_t next_number = 0;
    std::list<std::pair<const void*, std::unique_ptr<transport::Region>>> offered;  // memory of global arrays, oldest first
    static Registry& get() {
        static auto& registry = *new Registry;
        return registry;
    }
};

const Coarray& whole(const XMP_Coarray* coarray) {
    return *static_cast<const Coarray*>(coarray);
}

XMP_Index image_index(const Blocks& blocks, int codimensions, const XMP_Index* index) {
    const std::vector<int>& coextents = blocks.coextents;
    if (codimensions != static_cast<int>(coextents.size()) + 1)
        throw base::Error(fmt::format("coarray {} has {}, and {} image indices are given", blocks.name,
                                      base::counted(static_cast<int>(coextents.size()) + 1, "codimension"), codimensions),
                          "xmp_comalloc takes the sizes of all codimensions but the last.");
    XMP_Index image = index[coextents.size()];
    for (std::size_t d = coextents.size(); d-- > 0;) {
        if (index[d] < 0 || index[d] >= coextents[d])
            throw base::Error(fmt::format("index {} of the image is {}, and that codimension of {} has {}", d + 1, index[d],
                                          blocks.name, coextents[d]));
        image = image * coextents[d] + index[d];
    }
    return image;
}

void expect(const XMP_Coarray* coarray, const char* name, std::size_t bytes) {
    if (coarray == nullptr)
        throw base::Error(fmt::format("coarray {} is declared extern, but no file defines it", name),
                          "Declare it without extern in one file.");
    if (coarray->bytes != bytes)
        throw base::Error(fmt::format("coarray {} has {} bytes where it is defined, but {} here", name, coarray->bytes, bytes),
                          "Give it the same type and bounds in all files.");
}

bool contains(const void* base, std::size_t bytes, const void* address) {
    const auto begin = reinterpret_cast<std::uintptr_t>(base), at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin && at - begin < bytes;
}

Coarray* declared_around(const void* address) {
    const auto& by_base = Registry::get().by_base;
    auto found = by_base.upper_bound(reinterpret_cast<std::uintptr_t>(address));
    if (found == by_base.begin()) return nullptr;
    Coarray* const coarray = std::prev(found)->second;
    return contains(coarray->base, coarray->bytes, address) ? coarray : nullptr;
}

bool mapped_everywhere(const memory::Segment& memory) {
    for (int node = 0; node < memory.ranks(); ++node)
        if (memory.direct(node) == nullptr) return false;
    return true;
}

transport::Region* region_of(const void* memory) {
    for (const auto& [base, region] : Registry::get().offered)
        if (base == memory) return region.get();
    return nullptr;
}

// The local section of a global array as coarray: images that have no part of it have no block.
std::shared_ptr<Blocks> blocks_of(const Array& array) {
    auto blocks = std::make_shared<Blocks>();
    blocks->name = array.name;
    blocks->region = region_of(array.segment->local());
    blocks->of_global_array = true;
    blocks->element_bytes = array.element_bytes;
    for (int d = 0; d < array.rank; ++d) blocks->sizes.push_back(array.dimension[d].length);
    for (int node = 0; node < Context::get().world_size(); ++node) {
        const int number = array.segment_set->number_of(node);
        std::byte* const peer = number < 0 ? nullptr : array.segment->direct(number);
        blocks->direct.push_back(peer == nullptr ? nullptr : reinterpret_cast<char*>(peer + array.segment_offset));
        blocks->bytes.push_back(number < 0 ? 0 : array.segment->bytes(number) - array.segment_offset);
    }
    return blocks;
}

Coarray* global_array_as_coarray(const Array& array) {
    LocalSection& section = Registry::get().local_sections[&array];
    if (section.memory.lock() == array.segment) return &section.coarray;
    section.memory = array.segment;
    Coarray& coarray = section.coarray;
    coarray.blocks = blocks_of(array);
    static_cast<XMP_Coarray&>(coarray) = {array.base, coarray.blocks->direct.data(), &XMP_current_images,
                                          array.allocated_bytes()};
    return &coarray;
}

XMP_Coarray* find(const void* address) {
    if (address == nullptr)
        throw base::Error("this pointer is NULL: it leads to no coarray", "Give it memory by xmp_comalloc before.");
    if (Coarray* const coarray = declared_around(address)) return coarray;
    if (const Array* const array = execution::array_around(address)) return global_array_as_coarray(*array);
    throw base::Error("this memory belongs to no coarray, so it has no counterpart on other images",
                      "Use a coarray (declared with :[*]), a part of one, or memory of xmp_comalloc.");
}

XMP_Coarray* pin(const XMP_Coarray& coarray, const XMP_Nodes& nodes) {
    auto* const pinned = new Coarray;
    static_cast<XMP_Coarray&>(*pinned) = coarray;
    pinned->blocks = whole(&coarray).blocks;
    pinned->pinned_set = nodes.set;
    pinned->pinned = {nodes.set->size(), nodes.set->world_ranks().data()};
    pinned->images = &pinned->pinned;
    return pinned;
}

[[noreturn]] void fail_image(const Blocks& blocks, long long image, int count) {
    throw base::Error(fmt::format("coarray {} has no image {}: there {} now", blocks.name, image,
                                  count == 1 ? "is only image 0" : fmt::format("are images 0 to {}", count - 1)),
                      "Image indices count from 0, in the executing set or in the node array of `coarray on`.");
}

std::string brackets(const std::vector<XMP_Index>& subscripts) {
    std::string text;
    for (const XMP_Index subscript : subscripts) text += fmt::format("[{}]", subscript);
    return text;
}

// The subscripts of the element that lies so many bytes behind a block's begin; the first one takes what is too much.
std::vector<XMP_Index> subscripts_at(const Blocks& blocks, std::ptrdiff_t offset) {
    std::vector<XMP_Index> subscripts(blocks.sizes.size());
    XMP_Index number = offset / static_cast<std::ptrdiff_t>(blocks.element_bytes);
    for (std::size_t d = subscripts.size(); d-- > 1;) {
        const XMP_Index size = std::max<XMP_Index>(blocks.sizes[d], 1), rest = (number % size + size) % size;
        subscripts[d] = rest;
        number = (number - rest) / size;
    }
    subscripts.front() = number;
    return subscripts;
}

[[noreturn]] void fail_outside(const Place& place, const Extent& extent, std::size_t bytes) {
    const Blocks& blocks = *place.blocks;
    const int node = base::node_number(place.node);
    const auto offset = static_cast<std::ptrdiff_t>(place.offset), first = offset + extent.before, end = offset + extent.behind;
    if (bytes == 0) throw base::Error(fmt::format("node {} has no part of {}", node, blocks.name));
    if (blocks.element_bytes == 0)
        throw base::Error(fmt::format("bytes {} to {} of coarray {} are outside its block of {} bytes on node {}", first,
                                      end - 1, blocks.name, bytes, node));
    const auto element = static_cast<std::ptrdiff_t>(blocks.element_bytes);
    const std::string outside = brackets(subscripts_at(blocks, first < 0 ? first : end - element));
    if (!blocks.of_global_array)
        throw base::Error(
            fmt::format("{0}{1} is outside coarray {0}{2} on node {3}", blocks.name, outside, brackets(blocks.sizes), node));
    std::vector<XMP_Index> sizes = blocks.sizes;
    sizes.front() = subscripts_at(blocks, static_cast<std::ptrdiff_t>(bytes)).front();
    throw base::Error(fmt::format("{} is outside the part of global array {} on node {}, which is {}", outside, blocks.name,
                                  node, brackets(sizes)),
                      "Subscripts of another node's part count from its first element, shadow included.");
}

[[noreturn]] void fail_unreached(const Blocks& blocks, int node) {
    const std::string reason = transport() == nullptr ? "no transport was started"
                                                      : "the transport " + transport()->name() + " reaches only its own memory";
    throw base::Error(fmt::format("{} is a global array, and its part on node {} lies on another machine: {}", blocks.name,
                                  base::node_number(node), reason),
                      "Set KUMIHIMO_TRANSPORT=mpi, which reaches any memory, or copy the part to a coarray.");
}

}  // namespace

Extent extent_of(const XMP_Section& section, std::size_t element_bytes) {
    Extent extent{0, static_cast<std::ptrdiff_t>(element_bytes)};
    for (int d = 0; d < section.rank; ++d) {
        if (section.count[d] <= 0) return {};
        const std::ptrdiff_t reach = (section.count[d] - 1) * section.stride[d];
        (reach < 0 ? extent.before : extent.behind) += reach;
    }
    return extent;
}

Coarray& enter(std::shared_ptr<Blocks> blocks, std::byte* local, std::size_t bytes, bool on_all_images) {
    Registry& registry = Registry::get();
    Coarray& coarray = registry.declared.emplace_back();
    static_cast<XMP_Coarray&>(coarray) = {local, blocks->direct.data(), &XMP_current_images, bytes};
    if (on_all_images) blocks->number = registry.next_number++;
    coarray.blocks = std::move(blocks);
    registry.by_base[reinterpret_cast<std::uintptr_t>(local)] = &coarray;
    return coarray;
}

Coarray* coarray_at(const void* base) {
    const auto& by_base = Registry::get().by_base;
    const auto found = by_base.find(reinterpret_cast<std::uintptr_t>(base));
    return found == by_base.end() ? nullptr : found->second;
}

void forget(const Coarray& coarray) {
    Registry& registry = Registry::get();
    ++XMP_coarrays_released;
    registry.by_base.erase(reinterpret_cast<std::uintptr_t>(coarray.base));
    registry.declared.remove_if([&](const Coarray& one) { return &one == &coarray; });
}

bool Place::shared() const {
    return blocks->region == nullptr;
}

bool Place::mine() const {
    return node == Context::get().world_rank();
}

Place locate(const XMP_Coarray* coarray, long long image, const void* mine, const Extent& extent) {
    const Blocks& blocks = *whole(coarray).blocks;
    const XMP_Images& images = *coarray->images;
    if (image < 0 || image >= images.count) fail_image(blocks, image, images.count);
    const int node = images.node[image];
    const std::size_t bytes = blocks.bytes[static_cast<std::size_t>(node)];
    char* const direct = blocks.direct[static_cast<std::size_t>(node)];
    const std::ptrdiff_t offset = static_cast<const char*>(mine) - static_cast<const char*>(coarray->base);
    Place place{&blocks, node, static_cast<std::size_t>(offset), nullptr};
    if (offset + extent.before < 0 || offset + extent.behind > static_cast<std::ptrdiff_t>(bytes))
        fail_outside(place, extent, bytes);
    if (direct != nullptr)
        place.direct = reinterpret_cast<std::byte*>(direct) + offset;
    else if (blocks.region == nullptr)
        fail_unreached(blocks, node);
    return place;
}

std::shared_ptr<const Blocks> reachable_blocks(const Array& array, int node) {
    if (!array.segment) return nullptr;
    const std::shared_ptr<Blocks> blocks = global_array_as_coarray(array)->blocks;
    if (blocks->direct[static_cast<std::size_t>(node)] == nullptr && blocks->region == nullptr) fail_unreached(*blocks, node);
    return blocks;
}

void offer(const memory::Segment& memory, const execution::NodeSet& nodes) {
    if (!XMP_local_view || transport() == nullptr || mapped_everywhere(memory)) return;
    auto region = transport()->attach(memory.local(), memory.bytes(), nodes.communicator());
    if (region) Registry::get().offered.emplace_back(memory.local(), std::move(region));
}

void withdraw(const void* memory) {
    Registry::get().offered.remove_if([&](const auto& one) { return one.first == memory; });
}

const Blocks* own_block_around(const void* address) {
    const Coarray* const coarray = declared_around(address);
    return coarray == nullptr || coarray->blocks->number < 0 ? nullptr : coarray->blocks.get();
}

std::string element_text(std::int64_t block, std::int64_t offset) {
    for (const Coarray& coarray : Registry::get().declared) {
        const Blocks& blocks = *coarray.blocks;
        if (blocks.number != block) continue;
        return blocks.name + (blocks.element_bytes == 0 || blocks.sizes.empty() ? "" : brackets(subscripts_at(blocks, offset)));
    }
    return "a coarray";
}

Coarray& blocks_as_coarray(const Array& array) {
    return *global_array_as_coarray(array);
}

void release_coarrays() {
    Registry& registry = Registry::get();
    ++XMP_coarrays_released;
    registry.local_sections.clear();
    registry.by_base.clear();
    while (!registry.offered.empty()) registry.offered.pop_back();
    while (!registry.declared.empty()) registry.declared.pop_back();  // the same order on every image
}

}  // namespace kumihimo::localview

using namespace kumihimo;

int XMP_local_view = 0;
long long XMP_coarrays_released = 0;

void XMP_Coarray_shape(XMP_Coarray* coarray, size_t element_bytes, int rank, const XMP_Index* sizes) {
    localview::Blocks& blocks = *static_cast<localview::Coarray*>(coarray)->blocks;
    blocks.element_bytes = element_bytes;
    blocks.sizes.assign(sizes, sizes + rank);
}

void XMP_Coarray_expect(const XMP_Coarray* coarray, const char* name, size_t bytes) {
    execution::guarded(nullptr, [&] { localview::expect(coarray, name, bytes); });
}

XMP_Coarray* XMP_Coarray_of(const XMP_Site* site, const void* address) {
    return execution::guarded(site, [&] { return localview::find(address); });
}

const XMP_Coarray* XMP_Coarray_around(const void* address) {
    return localview::declared_around(address);
}

size_t XMP_Coarray_bytes(void) {
    size_t bytes = 0;
    for (const auto& coarray : localview::Registry::get().declared) bytes += coarray.bytes;
    return bytes;
}

XMP_Index XMP_Coarray_image(const XMP_Site* site, const XMP_Coarray* coarray, int codimensions, const XMP_Index* index) {
    return execution::guarded(site,
                              [&] { return localview::image_index(*localview::whole(coarray).blocks, codimensions, index); });
}

XMP_Coarray* XMP_Coarray_on(const XMP_Site* site, XMP_Coarray* coarray, const XMP_Nodes* nodes) {
    return execution::guarded(site, [&] { return localview::pin(*coarray, execution::nodes_of(nodes)); });
}

void XMP_Coarray_release(XMP_Coarray** coarray) {
    delete static_cast<localview::Coarray*>(*coarray);
    *coarray = nullptr;
}
