#include "runtime/xmpio/view.hpp"

#include <climits>

namespace kumihimo::xmpio {

namespace {

// `count` times `type`, `step` bytes apart: counts of MPI are int.
MPI_Datatype repeated(MPI_Datatype type, Index count, MPI_Aint step) {
    constexpr Index most = INT_MAX;
    MPI_Datatype result;
    if (count <= most) {
        MPI_Type_create_hvector(static_cast<int>(count), 1, step, type, &result);
        return result;
    }
    const Index blocks = count / most;
    MPI_Datatype parts[2], block = repeated(type, most, step);
    parts[0] = repeated(block, blocks, most * step);
    parts[1] = repeated(type, count % most, step);
    const int ones[] = {1, 1};
    const MPI_Aint places[] = {0, blocks * most * step};
    MPI_Type_create_struct(2, ones, places, parts, &result);
    for (MPI_Datatype* one : {&block, &parts[0], &parts[1]}) MPI_Type_free(one);
    return result;
}

}  // namespace

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
            strips.push_back(repeated(type, strip.count, strip.position_step * stride));
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
