#include "mpiio/engine/catwalk/writing.hpp"

#include <algorithm>

#include "copying/streams.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

using sets::Blocks;

constexpr Index row_bytes = Index{1} << 18;  // of ragged memory that are put in a row at a time: they stay in the second cache

bool write_row(iod::Session& session, Index offset, const std::byte* from, Index bytes) {
    return session.write(offset, {from, static_cast<std::size_t>(bytes)});
}

// A row of bytes to where the view shows stream bytes from `position` on.
bool write_through(iod::Session& session, const View& view, Index position, const std::byte* from, Index bytes) {
    if (view.contiguous()) return write_row(session, view.offset(position), from, bytes);
    bool going = true;
    view.for_each(position, position + bytes, [&](const Blocks& blocks) {
        const bool one_stretch = blocks.stride == blocks.length;
        const Index length = one_stretch ? blocks.size() : blocks.length, count = one_stretch ? 1 : blocks.count;
        for (Index i = 0; i < count && going; ++i, from += length)
            going = write_row(session, blocks.offset + i * blocks.stride, from, length);
    });
    return going;
}

}  // namespace

bool write(iod::Session& session, const Access& access, std::vector<std::byte>& row) {
    if (access.bytes == 0) return true;
    if (access.memory.contiguous())
        return write_through(session, access.view, access.position, access.memory.data(), access.bytes);
    row.resize(static_cast<std::size_t>(row_bytes));
    for (Index done = 0; done < access.bytes; done += row_bytes) {
        const Index end = std::min(access.bytes, done + row_bytes);
        gather(access.memory, done, end, row.data());
        if (!write_through(session, access.view, access.position + done, row.data(), end - done)) return false;
    }
    return true;
}

Index end_of(const Access& access) {
    return access.bytes == 0 ? 0 : access.view.offset(access.position + access.bytes - 1) + 1;
}

}  // namespace kumihimo::mpiio::catwalk
