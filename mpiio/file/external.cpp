#include "mpiio/file/external.hpp"

#include <algorithm>
#include <vector>

#include "copying/streams.hpp"
#include "mpiio/engine/access.hpp"
#include "mpiio/file/datatype.hpp"
#include "mpiio/file/external_values.hpp"
#include "mpiio/file/flatten.hpp"

namespace kumihimo::mpiio {

namespace {

constexpr Index portion_bytes = Index{1} << 16;

// What remains of the bytes of a file while a pattern is gone through.
struct Cursor {
    const std::byte* external;
    Index left;
    std::byte* native;  // nullptr: only counted
    Index moved = 0;
};

bool pack_values(const ValuePattern& pattern, const std::byte*& native, std::byte*& external) {
    bool fits = true;
    if (pattern.conversion != nullptr) {
        fits = pattern.conversion->pack(native, pattern.count, external);
        native += pattern.native_bytes;
        external += pattern.external_bytes;
        return fits;
    }
    for (Index i = 0; i < pattern.count; ++i)
        for (const ValuePattern& part : pattern.parts) fits = pack_values(part, native, external) && fits;
    return fits;
}

// False where the file ends within the pattern.
bool unpack_values(const ValuePattern& pattern, Cursor& cursor) {
    if (pattern.conversion != nullptr) {
        const Conversion& c = *pattern.conversion;
        const Index count = std::min(pattern.count, cursor.left / c.external_bytes);
        if (cursor.native != nullptr) {
            c.unpack(cursor.external, count, cursor.native);
            cursor.external += count * c.external_bytes;
            cursor.native += count * c.native_bytes;
        }
        cursor.left -= count * c.external_bytes;
        cursor.moved += count * c.native_bytes;
        return count == pattern.count;
    }
    for (Index i = 0; i < pattern.count; ++i)
        for (const ValuePattern& part : pattern.parts)
            if (!unpack_values(part, cursor)) return false;
    return true;
}

// A transfer as portions of values that a small buffer holds: of one value if all are of a kind, else of whole elements.
struct Portions {
    ValuePattern pattern;  // of one portion's unit
    Index units;           // in all

    Portions(MPI_Datatype type, Index count) : pattern(values_of(type)), units(count) {
        if (pattern.conversion == nullptr) return;
        units *= pattern.count;
        pattern.count = 1;
        pattern.native_bytes = pattern.conversion->native_bytes;
        pattern.external_bytes = pattern.conversion->external_bytes;
    }
    Index most_units() const { return std::max<Index>(1, portion_bytes / pattern.native_bytes); }
    // `count` units as one pattern.
    ValuePattern several(Index count) const {
        ValuePattern result = pattern;
        if (pattern.conversion == nullptr && pattern.count > 1) result = {1, nullptr, {pattern}, 0, 0};
        result.count = count;
        result.native_bytes = count * pattern.native_bytes;
        result.external_bytes = count * pattern.external_bytes;
        return result;
    }
};

// Basic types as long as in the file; bounds follow from the parts.
class ExternalLayout : public Layout {
public:
    sets::Extents basic(MPI_Datatype type) const override { return sets::Extents::contiguous(external_size(type)); }
    sets::Extents bounded(MPI_Datatype, const sets::Extents& extents) const override { return extents; }
};

Memory memory_of(const void* buffer, MPI_Datatype type) {
    const sets::Extents extents = extents_of(type);
    return {static_cast<std::byte*>(const_cast<void*>(buffer)), extents, extents.extent()};
}

}  // namespace

Index external_size(MPI_Datatype type) {
    return values_of(type).external_bytes;
}

// Where no value changes its length, the places are those of memory: also of structures with padding, and of pairs.
sets::Extents external_extents_of(MPI_Datatype type) {
    const sets::Extents native = extents_of(type);
    return external_size(type) == native.size() ? native : flatten(type, ExternalLayout());
}

bool pack_external(const void* from, MPI_Count count, MPI_Datatype type, std::byte* to) {
    const Portions portions(type, count);
    if (portions.pattern.count == 0) return true;
    const Memory memory = memory_of(from, type);
    std::vector<std::byte> row(static_cast<std::size_t>(portions.most_units() * portions.pattern.native_bytes));
    bool fits = true;
    for (Index first = 0, units; first < portions.units; first += units) {
        units = std::min(portions.most_units(), portions.units - first);
        const ValuePattern pattern = portions.several(units);
        const Index begin = first * portions.pattern.native_bytes;
        gather(memory, begin, begin + pattern.native_bytes, row.data());
        const std::byte* native = row.data();
        fits = pack_values(pattern, native, to) && fits;
    }
    return fits;
}

Index unpack_external(const std::byte* from, Index bytes, MPI_Count count, MPI_Datatype type, void* to) {
    const Portions portions(type, count);
    if (portions.pattern.count == 0) return 0;
    const Memory memory = memory_of(to, type);
    std::vector<std::byte> row(static_cast<std::size_t>(portions.most_units() * portions.pattern.native_bytes));
    Index moved = 0;
    for (Index first = 0, units; first < portions.units; first += units) {
        units = std::min(portions.most_units(), portions.units - first);
        Cursor cursor{from, bytes, row.data()};
        const bool whole = unpack_values(portions.several(units), cursor);
        scatter(row.data(), memory, moved, moved + cursor.moved);
        moved += cursor.moved;
        from = cursor.external;
        bytes = cursor.left;
        if (!whole) break;
    }
    return moved;
}

Index native_bytes(Index bytes, MPI_Datatype type) {
    const ValuePattern pattern = values_of(type);
    if (pattern.count == 0) return 0;
    const Index elements = bytes / pattern.external_bytes;
    Cursor cursor{nullptr, bytes - elements * pattern.external_bytes, nullptr};
    unpack_values(pattern, cursor);
    return elements * pattern.native_bytes + cursor.moved;
}

}  // namespace kumihimo::mpiio
