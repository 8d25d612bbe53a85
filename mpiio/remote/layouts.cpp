#include "mpiio/remote/layouts.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "iod/files/blocks.hpp"

namespace kumihimo::mpiio::remote {

namespace {

// Counts are those of at most 4 MiB, the longest request.
Type type_of(const iod::LayoutNest& nest) {
    MPI_Datatype block;
    MPI_Type_contiguous(static_cast<int>(nest.length), MPI_BYTE, &block);
    Type type(block);
    for (const iod::LayoutLevel& level : std::views::reverse(nest.levels)) {
        MPI_Datatype rows;
        MPI_Type_create_hvector(static_cast<int>(level.count), 1, static_cast<MPI_Aint>(level.stride), type.get(), &rows);
        type = Type(rows);
    }
    return type;
}

}  // namespace

bool is_one_block(const iod::Layout& layout) {
    return layout.nests.size() == 1 && layout.nests.front().levels.empty();
}

Type view_of(const iod::Layout& layout) {
    std::vector<Type> types;
    std::vector<MPI_Datatype> handles;
    std::vector<MPI_Aint> places;
    for (const iod::LayoutNest& nest : layout.nests) {
        types.push_back(type_of(nest));
        handles.push_back(types.back().get());
        places.push_back(static_cast<MPI_Aint>(nest.offset));
    }
    const std::vector<int> ones(handles.size(), 1);
    MPI_Datatype all;
    MPI_Type_create_struct(static_cast<int>(handles.size()), ones.data(), places.data(), handles.data(), &all);
    return Type(all);
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
