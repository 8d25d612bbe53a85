#include "base/datatype.hpp"

#include <algorithm>
#include <limits>

namespace kumihimo::base {

namespace {

constexpr std::int64_t largest_count = std::numeric_limits<int>::max();
constexpr std::int64_t whole = std::int64_t{1} << 30;  // of counts beyond an int

}  // namespace

Datatype Datatype::row(MPI_Datatype element, std::int64_t count) {
    if (count <= largest_count) {
        MPI_Datatype type;
        PMPI_Type_contiguous(static_cast<int>(count), element, &type);
        return Datatype(type);
    }
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_get_extent(element, &lower, &extent);
    return row(element, 1).repeated(count, extent);
}

// Open MPI takes a stride of -1 byte for none at all, so there two rows each make a pair, and the pairs are two bytes apart.
Datatype Datatype::rows_backwards(MPI_Datatype element, std::int64_t count) {
    const int ones[] = {1, 1};
    const MPI_Aint places[] = {0, -1};
    MPI_Datatype type;
    PMPI_Type_create_hindexed(2, ones, places, element, &type);
    const Datatype pair(type);
    Datatype pairs = pair.repeated(count / 2, -2);
    if (count % 2 == 0) return pairs;
    std::vector<Datatype> parts;
    parts.push_back(std::move(pairs));
    parts.push_back(row(element, 1));
    return sequence(parts, {0, 1 - count});
}

Datatype Datatype::rows(MPI_Datatype element, std::int64_t length, std::int64_t count, std::int64_t stride) {
    if (stride == -1 && count > 1) return rows_backwards(row(element, length), count);
    if (std::max(length, count) > largest_count) return row(element, length).repeated(count, stride);
    MPI_Datatype type;
    PMPI_Type_create_hvector(static_cast<int>(count), static_cast<int>(length), stride, element, &type);
    return Datatype(type);
}

// A count beyond an int is a vector of equal parts, and what is left. Nothing left is left out: it would count in the extent.
Datatype Datatype::repeated(std::int64_t count, std::int64_t stride) const {
    if (count <= largest_count) return rows(type_, 1, count, stride);
    const std::int64_t rest = count % whole;
    Datatype wholes = repeated(whole, stride).repeated(count / whole, whole * stride);
    if (rest == 0) return wholes;
    std::vector<Datatype> parts;
    parts.push_back(std::move(wholes));
    parts.push_back(repeated(rest, stride));
    return sequence(parts, {0, (count - rest) * stride});
}

Datatype Datatype::sequence(const std::vector<Datatype>& parts, const std::vector<MPI_Aint>& places) {
    const std::vector<int> ones(parts.size(), 1);
    const std::vector<MPI_Datatype> types(parts.begin(), parts.end());
    MPI_Datatype type;
    PMPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), places.data(), types.data(), &type);
    return Datatype(type);
}

Datatype Datatype::committed() && {
    PMPI_Type_commit(&type_);
    return std::move(*this);
}

}  // namespace kumihimo::base
