#include "collectives/executor/region.hpp"

#include <algorithm>
#include <climits>

namespace kumihimo::collectives {

namespace {

struct Extent {
    MPI_Aint lower = 0, extent = 0;
    explicit Extent(MPI_Datatype type) { PMPI_Type_get_extent(type, &lower, &extent); }
};

int combiner_of(MPI_Datatype type) {
    int integers, addresses, types, combiner = MPI_UNDEFINED;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner;
}

// What a contiguous type is made of; a handle of our own unless it is predefined (MPI-4.0 5.1.13).
struct Inner {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    explicit Inner(MPI_Datatype contiguous) {
        int count = 0;
        MPI_Aint no_address = 0;
        PMPI_Type_get_contents(contiguous, 1, 0, 1, &count, &no_address, &type);
    }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;
    ~Inner() {
        if (combiner_of(type) != MPI_COMBINER_NAMED) PMPI_Type_free(&type);
    }
};

std::byte* at(const void* memory, MPI_Aint offset) {
    return static_cast<std::byte*>(const_cast<void*>(memory)) + offset;
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
    return combiner_of(type) == MPI_COMBINER_NAMED;
}

bool is_plain(MPI_Datatype type) {
    const Extent extent(type);
    if (extent.lower != 0 || extent.extent != size_of(type)) return false;
    const int combiner = combiner_of(type);
    return combiner == MPI_COMBINER_NAMED || (combiner == MPI_COMBINER_CONTIGUOUS && is_plain(Inner(type).type));
}

Bytes size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size;
}

Region::Region(const void* memory, MPI_Datatype type, int count, int blocks)
    : memory_(at(memory, 0)), type_(type), block_bytes_(count * size_of(type)) {
    if (is_plain(type)) return;
    const MPI_Aint extent = Extent(type).extent;
    for (int i = 0; i < blocks; ++i) elements_.push_back({at(memory, i * count * extent), count});
    packed_.resize(static_cast<std::size_t>(block_bytes_ * blocks));
}

Region::Region(const void* memory, MPI_Datatype type, const int* counts, const int* displacements, int blocks)
    : memory_(at(memory, 0)), type_(type) {
    const bool plain = is_plain(type);
    const MPI_Aint extent = Extent(type).extent;
    const Bytes size = size_of(type);
    Bytes total = 0;
    sizes_.reserve(static_cast<std::size_t>(blocks));
    offsets_.reserve(static_cast<std::size_t>(blocks));
    for (int i = 0; i < blocks; ++i) {
        sizes_.push_back(counts[i] * size);
        offsets_.push_back(plain ? displacements[i] * extent : total);
        if (!plain) elements_.push_back({at(memory, displacements[i] * extent), counts[i]});
        total += sizes_.back();
    }
    if (!plain) packed_.resize(static_cast<std::size_t>(total));
}

Blocks Region::blocks() const {
    return {block_bytes_, sizes_.empty() ? nullptr : sizes_.data(), offsets_.empty() ? nullptr : offsets_.data()};
}

// MPI_Pack counts bytes in an int: not more than fit are moved at a time.
template <typename Move>
void Region::move(Move&& move) {
    const Bytes element = size_of(type_);
    if (packed_.empty() || element == 0) return;
    const MPI_Aint extent = Extent(type_).extent;
    const int most = static_cast<int>(std::max<Bytes>(INT_MAX / element, 1));
    std::byte* place = packed_.data();
    for (const Block& block : elements_)
        for (int done = 0, part; done < block.count; done += part, place += part * element) {
            part = std::min(most, block.count - done);
            move(block.memory + done * extent, part, place, static_cast<int>(part * element));
        }
}

void Region::load() {
    move([&](std::byte* memory, int count, std::byte* packed, int bytes) {
        int position = 0;
        PMPI_Pack(memory, count, type_, packed, bytes, &position, MPI_COMM_SELF);
    });
}

void Region::store() {
    move([&](std::byte* memory, int count, std::byte* packed, int bytes) {
        int position = 0;
        PMPI_Unpack(packed, bytes, &position, memory, count, type_, MPI_COMM_SELF);
    });
}

}  // namespace kumihimo::collectives
