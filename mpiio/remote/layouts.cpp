#include "mpiio/remote/layouts.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "iod/files/blocks.hpp"

namespace kumihimo::mpiio::remote {

namespace {

base::Datatype type_of(const iod::LayoutNest& nest) {
    base::Datatype type = base::Datatype::row(MPI_BYTE, nest.length);
    for (const iod::LayoutLevel& level : std::views::reverse(nest.levels)) type = type.repeated(level.count, level.stride);
    return type;
}

}  // namespace

bool is_one_block(const iod::Layout& layout) {
    return layout.nests.size() == 1 && layout.nests.front().levels.empty();
}

base::Datatype view_of(const iod::Layout& layout) {
    std::vector<base::Datatype> types;
    std::vector<MPI_Aint> places;
    for (const iod::LayoutNest& nest : layout.nests) {
        types.push_back(type_of(nest));
        places.push_back(static_cast<MPI_Aint>(nest.offset));
    }
    return base::Datatype::sequence(types, places).committed();
}

std::size_t bytes_before(const iod::Layout& layout, iod::Offset end) {
    std::size_t bytes = 0;
    iod::process::for_each_block(layout, [&](iod::Offset offset, std::size_t length) {
        const auto here = std::clamp<iod::Offset>(end - offset, 0, static_cast<iod::Offset>(length));
        bytes += static_cast<std::size_t>(here);
        return static_cast<std::size_t>(here) == length;
    });
    return bytes;
}

}  // namespace kumihimo::mpiio::remote
