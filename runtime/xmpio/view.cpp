#include "runtime/xmpio/view.hpp"

namespace kumihimo::xmpio {

MPI_Datatype file_type(const Part& part, Index section_elements) {
    const auto element_bytes = static_cast<MPI_Aint>(part.element_bytes());
    MPI_Datatype type;
    MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &type);
    const auto& dimensions = part.dimensions();
    for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
        std::vector<MPI_Datatype> strips;
        std::vector<MPI_Aint> displacements;
        const MPI_Aint stride = dimension->stride * element_bytes;
        for (const Strip& strip : dimension->strips) {
            MPI_Type_create_hvector(static_cast<int>(strip.count), 1, strip.position_step * stride, type,
                                    &strips.emplace_back());
            displacements.push_back(strip.position * stride);
        }
        const std::vector<int> ones(strips.size(), 1);
        MPI_Datatype joined;
        MPI_Type_create_struct(static_cast<int>(strips.size()), ones.data(), displacements.data(), strips.data(), &joined);
        for (MPI_Datatype& strip : strips) MPI_Type_free(&strip);
        MPI_Type_free(&type);
        type = joined;
    }
    MPI_Datatype tile;
    MPI_Type_create_resized(type, 0, section_elements * element_bytes, &tile);
    MPI_Type_free(&type);
    MPI_Type_commit(&tile);
    return tile;
}

}  // namespace kumihimo::xmpio
