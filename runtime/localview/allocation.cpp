// Declaration and allocation of coarrays (specification 5.3, 5.7.1). A declared coarray has one block on every image of the
// entire set, one of xmp_comalloc on every executing image (decision COA-27).
#include "runtime/localview/allocation.hpp"

#include <cstring>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/format.hpp"
#include "runtime/localview/failures.hpp"
#include "runtime/localview/image_control.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/localview/races.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;
using execution::NodeSet;
using execution::NodeSetPointer;

void fill_direct(Blocks& blocks, const NodeSet& nodes, std::byte* local) {
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
void allocate_by(transport::Transport& transport, Blocks& blocks, std::size_t bytes, const NodeSet& nodes) {
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
Coarray& allocate_blocks(std::shared_ptr<Blocks> blocks, std::size_t bytes, const NodeSet& nodes) {
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
    return enter(std::move(blocks), local, bytes, nodes.size() == context.world_size());
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
void synchronise(const NodeSet& images) {
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
    const NodeSetPointer images = blocks->images;
    const Coarray& coarray = allocate_blocks(std::move(blocks), bytes, *images);
    synchronise(*images);
    return coarray.base;
}

void cofree(const void* address) {
    if (address == nullptr) return;
    const Coarray* const coarray = coarray_at(address);
    const NodeSetPointer images = coarray == nullptr ? nullptr : coarray->blocks->images;
    if (images == nullptr)
        throw base::Error("xmp_cofree of memory that xmp_comalloc did not allocate, or that was freed already");
    const NodeSetPointer executing = Context::get().executing();
    if (executing->world_ranks() != images->world_ranks())
        throw base::Error(fmt::format("coarray {} was allocated by {}, and {} free it", coarray->blocks->name,
                                      base::counted(images->size(), "image"), executing->size()),
                          "Free it in the task that allocated it, or in one of the same nodes.");
    release(*coarray);
}

}  // namespace

Coarray& allocate(const std::string& name, std::size_t bytes, NodeSetPointer images) {
    auto blocks = blocks_named(name);
    blocks->images = std::move(images);
    const NodeSet& members = *blocks->images;
    return allocate_blocks(std::move(blocks), bytes, members);
}

void release(const Coarray& coarray) {
    synchronise(*coarray.blocks->images);
    const InsideMpi inside("the deallocation of a coarray", without_died(coarray.blocks->images->world_ranks()));
    forget(coarray);
}

}  // namespace kumihimo::localview

using namespace kumihimo;

XMP_Coarray* XMP_Coarray_declare(const char* name, size_t bytes, const void* initial) {
    const XMP_Site site = {nullptr, 0, name};
    return execution::guarded(&site, [&] { return localview::declare(name, bytes, initial); });
}

void* XMP_Coarray_allocate(const XMP_Site* site, const char* name, size_t bytes, size_t element_bytes, int coextents,
                           const int* coextent) {
    return execution::guarded(site, [&] {
        return localview::comalloc(name, bytes, element_bytes, std::vector<int>(coextent, coextent + coextents));
    });
}

void xmp_cofree(void* coarray) {
    const XMP_Site site = execution::site_of_call("xmp_cofree");
    execution::guarded(&site, [&] { localview::cofree(coarray); });
}
