// Declaration, allocation and lookup of coarrays (specification 5.3, 5.7.1). A declared coarray has one block on every image of
// the entire set, one of xmp_comalloc on every executing image (decision COA-27); what image indices count changes with tasks
// and with `coarray on`.
#include "runtime/localview/coarrays.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "base/node_number.hpp"
#include "runtime/execution/array_table.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/localview/life.hpp"
#include "runtime/localview/races.hpp"
#include "runtime/localview/remote.hpp"

namespace kumihimo::localview {

namespace {

using execution::Array;
using execution::Context;
using execution::NodeSetPointer;

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

void fill_direct(Blocks& blocks, const execution::NodeSet& nodes, std::byte* local) {
    const Context& context = Context::get();
    for (int node = 0; node < context.world_size(); ++node) {
        const int number = blocks.segment ? nodes.number_of(node) : -1;
        blocks.direct.push_back(number < 0 ? nullptr : reinterpret_cast<char*>(blocks.segment->direct(number)));
    }
    blocks.direct[static_cast<std::size_t>(context.world_rank())] = reinterpret_cast<char*>(local);
}

void check_equal_sizes(const Blocks& blocks) {
    for (int image = 1; image < blocks.segment->ranks(); ++image)
        if (blocks.segment->bytes(image) != blocks.segment->bytes(0))
            throw base::Error(
                fmt::format("coarray {} has {} on image {}, but {} on image 0", blocks.name,
                            base::bytes_text(blocks.segment->bytes(image)), image, base::bytes_text(blocks.segment->bytes(0))),
                "Every image must run the same program.");
}

// By the transport, which reaches only memory of its own.
void allocate_by(transport::Transport& transport, Blocks& blocks, std::size_t bytes, const execution::NodeSet& nodes) {
    if (nodes.size() != Context::get().world_size())
        throw base::Error(
            fmt::format("coarray {} is allocated by {} of {}: the transport {} reaches only memory of its own, which "
                        "all images allocate together",
                        blocks.name, nodes.size(), base::counted(Context::get().world_size(), "image"), transport.name()),
            "Set KUMIHIMO_TRANSPORT=mpi, which reaches any memory, or call xmp_comalloc outside of the task.");
    blocks.segment.reset();
    blocks.own_region = transport.allocate(bytes);
}

// Memory on the nodes, which all call it, by runtime/memory if the transport can reach that.
Coarray& allocate_blocks(std::shared_ptr<Blocks> blocks, std::size_t bytes, const execution::NodeSet& nodes) {
    const InsideMpi inside("the allocation of a coarray", nodes.world_ranks());
    const Context& context = Context::get();
    blocks->segment = memory::Segment::allocate(nodes.communicator(), bytes, "coarray " + blocks->name);
    check_equal_sizes(*blocks);
    for (int node = 0; node < context.world_size(); ++node) blocks->bytes.push_back(nodes.number_of(node) < 0 ? 0 : bytes);
    if (transport::Transport* const transport = transport_for_coarrays()) {
        blocks->own_region = transport->attach(blocks->segment->local(), bytes, nodes.communicator());
        if (!blocks->own_region) allocate_by(*transport, *blocks, bytes, nodes);
        blocks->region = blocks->own_region.get();
    }
    std::byte* const local = blocks->segment ? blocks->segment->local() : blocks->region->local();
    fill_direct(*blocks, nodes, local);
    Registry& registry = Registry::get();
    Coarray& coarray = registry.declared.emplace_back();
    static_cast<XMP_Coarray&>(coarray) = {local, blocks->direct.data(), &XMP_current_images, bytes};
    if (nodes.size() == Context::get().world_size()) blocks->number = registry.next_number++;
    coarray.blocks = std::move(blocks);
    registry.by_base[reinterpret_cast<std::uintptr_t>(local)] = &coarray;
    return coarray;
}

std::shared_ptr<Blocks> blocks_named(const std::string& name) {
    auto blocks = std::make_shared<Blocks>();
    blocks->name = name;
    return blocks;
}

XMP_Coarray* declare(const char* name, std::size_t bytes, const void* initial) {
    Coarray& coarray = allocate_blocks(blocks_named(name), bytes, *Context::get().entire());
    if (initial != nullptr) {
        std::memcpy(coarray.base, initial, bytes);
        base::barrier(Context::get().world_communicator());  // nobody may put before this
    }
    return &coarray;
}

// The synchronisation of an allocation, which is an image control (specification 5.2).
void synchronise(const execution::NodeSet& images) {
    note_order(Order::some_images);
    if (sync_all(images) == Absence::stopped)
        throw base::Error("an image that is to take part has ended", "All images that allocated the coarray must come.");
}

void* comalloc(const char* name, std::size_t bytes, std::size_t element_bytes, std::vector<int> coextents) {
    for (const int coextent : coextents)
        if (coextent < 1)
            throw base::Error(fmt::format("a codimension of {} has the size {}", name, coextent), "Sizes are 1 or greater.");
    auto blocks = blocks_named(name);
    blocks->images = Context::get().executing();
    blocks->coextents = std::move(coextents);
    if (element_bytes > 0) {
        blocks->element_bytes = element_bytes;
        blocks->sizes = {static_cast<XMP_Index>(bytes / element_bytes)};
    }
    const execution::NodeSetPointer images = blocks->images;
    const Coarray& coarray = allocate_blocks(std::move(blocks), bytes, *images);
    synchronise(*images);
    return coarray.base;
}

void cofree(const void* address) {
    if (address == nullptr) return;
    Registry& registry = Registry::get();
    const auto found = registry.by_base.find(reinterpret_cast<std::uintptr_t>(address));
    const execution::NodeSetPointer images = found == registry.by_base.end() ? nullptr : found->second->blocks->images;
    if (images == nullptr)
        throw base::Error("xmp_cofree of memory that xmp_comalloc did not allocate, or that was freed already");
    const execution::NodeSetPointer executing = Context::get().executing();
    if (executing->world_ranks() != images->world_ranks())
        throw base::Error(fmt::format("coarray {} was allocated by {}, and {} free it", found->second->blocks->name,
                                      base::counted(images->size(), "image"), executing->size()),
                          "Free it in the task that allocated it, or in one of the same nodes.");
    release(*found->second);
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

Coarray& allocate(const std::string& name, std::size_t bytes, NodeSetPointer images) {
    auto blocks = blocks_named(name);
    blocks->images = std::move(images);
    const execution::NodeSet& members = *blocks->images;
    return allocate_blocks(std::move(blocks), bytes, members);
}

void release(const Coarray& coarray) {
    synchronise(*coarray.blocks->images);
    const InsideMpi inside("the deallocation of a coarray", without_died(coarray.blocks->images->world_ranks()));
    Registry& registry = Registry::get();
    ++XMP_coarrays_released;
    registry.by_base.erase(reinterpret_cast<std::uintptr_t>(coarray.base));
    registry.declared.remove_if([&](const Coarray& one) { return &one == &coarray; });
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

XMP_Coarray* XMP_Coarray_declare(const char* name, size_t bytes, const void* initial) {
    const XMP_Site site = {nullptr, 0, name};
    return execution::guarded(&site, [&] { return localview::declare(name, bytes, initial); });
}

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

void* XMP_Coarray_allocate(const XMP_Site* site, const char* name, size_t bytes, size_t element_bytes, int coextents,
                           const int* coextent) {
    return execution::guarded(site, [&] {
        return localview::comalloc(name, bytes, element_bytes, std::vector<int>(coextent, coextent + coextents));
    });
}

XMP_Index XMP_Coarray_image(const XMP_Site* site, const XMP_Coarray* coarray, int codimensions, const XMP_Index* index) {
    return execution::guarded(site,
                              [&] { return localview::image_index(*localview::whole(coarray).blocks, codimensions, index); });
}

void xmp_cofree(void* coarray) {
    const XMP_Site site = execution::site_of_call("xmp_cofree");
    execution::guarded(&site, [&] { localview::cofree(coarray); });
}

XMP_Coarray* XMP_Coarray_on(const XMP_Site* site, XMP_Coarray* coarray, const XMP_Nodes* nodes) {
    return execution::guarded(site, [&] { return localview::pin(*coarray, execution::nodes_of(nodes)); });
}

void XMP_Coarray_release(XMP_Coarray** coarray) {
    delete static_cast<localview::Coarray*>(*coarray);
    *coarray = nullptr;
}
