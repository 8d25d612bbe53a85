// What one node holds of a section of a global array: bytes of the section, which are those of a file, and bytes of the node's
// block, with one stream.
#pragma once

#include "copying/streams.hpp"
#include "runtime/execution/objects.hpp"
#include "runtime/xmpio/section.hpp"
#include "sets/section_extents.hpp"

namespace kumihimo::xmpio {

class Part {
public:
    // Of the node at `coordinates` of the mapping's grid.
    Part(const sets::ArrayMapping& mapping, std::size_t element_bytes, const Section& section,
         const std::vector<Index>& coordinates)
        : element_bytes_(static_cast<Index>(element_bytes)),
          extents_(sets::section_extents(mapping, element_bytes_, section, coordinates)) {}
    Part(const execution::Array& array, const Section& section)  // of this node, which has part of the array
        : Part(*array.mapping, array.element_bytes, section, array.nodes().coordinates) {}

    Index element_bytes() const { return element_bytes_; }
    Index bytes() const { return extents_.section.size(); }
    const sets::Extents& in_section() const { return extents_.section; }

    // Bytes of the stream: those of positions begin <= position < end of the section.
    struct Stretch {
        Index begin, end;
        Index bytes() const { return end - begin; }
    };
    Stretch stretch(Index begin, Index end) const {
        return {extents_.section.below(begin * element_bytes_), extents_.section.below(end * element_bytes_)};
    }

    // The node's block; a buffer that holds the section from position `first` on, whoever owns it.
    copying::Memory block(void* base) const { return memory(static_cast<std::byte*>(base), extents_.block); }
    copying::Memory whole(std::byte* buffer, Index first) const {
        return memory(buffer - first * element_bytes_, extents_.section);
    }

private:
    static copying::Memory memory(std::byte* base, const sets::Extents& extents) { return {base, extents, extents.size()}; }

    Index element_bytes_;
    sets::SectionExtents extents_;
};

}  // namespace kumihimo::xmpio
