#include "mpiio/engine/direct/independent.hpp"

#include <algorithm>
#include <vector>

namespace kumihimo::mpiio::direct {

namespace {

constexpr std::size_t most_rows = 4096;

// Visits the contiguous stretches of stream bytes [begin, end) in the file: visit(offset, bytes) until it returns false.
template <typename Visit>
void for_each_stretch(const View& view, Index begin, Index end, Visit&& visit) {
    Index offset = 0, bytes = 0;
    bool going = true;
    const auto add = [&](Index next, Index length) {
        if (bytes > 0 && next != offset + bytes) {
            going = visit(offset, bytes);
            bytes = 0;
        }
        if (bytes == 0) offset = next;
        bytes += length;
    };
    view.for_each(begin, end, [&](const Blocks& blocks) {
        if (blocks.stride == blocks.length) {
            if (going) add(blocks.offset, blocks.length * blocks.count);
            return;
        }
        for (Index i = 0; i < blocks.count && going; ++i) add(blocks.offset + i * blocks.stride, blocks.length);
    });
    if (going && bytes > 0) visit(offset, bytes);
}

bool rows_are_long(const Memory& memory) {
    return memory.pattern.size() >= long_row_bytes * std::max<Index>(1, memory.pattern.runs());
}

// The rows of memory behind stream bytes [begin, end), in groups: visit(pieces, first byte) until it returns false.
template <typename Visit>
void for_each_group_of_rows(const Memory& memory, Index begin, Index end, Visit&& visit) {
    std::vector<iovec> rows;
    Index position = begin;
    bool going = true;
    memory.for_each(begin, end, [&](const Blocks& blocks) {
        for (Index i = 0; i < blocks.count && going; ++i) {
            rows.push_back({memory.base + blocks.offset + i * blocks.stride, static_cast<std::size_t>(blocks.length)});
            if (rows.size() < most_rows) continue;
            going = visit(rows, position);
            rows.clear();
        }
    });
    if (going && !rows.empty()) visit(rows, position);
}

Index bytes_of(const std::vector<iovec>& rows) {
    Index bytes = 0;
    for (const iovec& row : rows) bytes += static_cast<Index>(row.iov_len);
    return bytes;
}

// One stretch of the file from or to long rows of memory. `move`: PosixFile's read or write.
template <typename Move>
Moved move_rows(const Memory& memory, Index begin, Index bytes, Index offset, Move&& move) {
    Moved total;
    for_each_group_of_rows(memory, begin, begin + bytes, [&](std::vector<iovec>& rows, Index) {
        const Index wanted = bytes_of(rows);
        Moved moved = move(offset + total.bytes, rows);
        total.bytes += moved.bytes;
        total.failure = std::move(moved.failure);
        return !total.failure && moved.bytes == wanted;
    });
    return total;
}

Moved write_from(PosixFile& file, const View& view, Index position, const std::byte* from, Index bytes) {
    Moved total;
    for_each_stretch(view, position, position + bytes, [&](Index offset, Index length) {
        Moved moved = file.write(offset, from + total.bytes, length);
        total.bytes += moved.bytes;
        total.failure = std::move(moved.failure);
        return !total.failure;
    });
    return total;
}

// A part of a view that one operation reads: the bytes between its first and its last one.
struct Group {
    std::vector<Blocks> parts;
    Index begin = 0, end = 0, bytes = 0;
    bool empty() const { return parts.empty(); }
};

// Collects neighbours while gaps stay small and the group fits a buffer.
class Grouping {
public:
    explicit Grouping(const Tuning& tuning) : tuning_(tuning) {}
    template <typename Visit>
    bool add(Blocks blocks, Visit&& visit) {  // false: visit returned false
        while (blocks.count > 0) {
            const Index fitting = fits(blocks);
            if (fitting == 0) {
                if (!finish(visit)) return false;
                continue;
            }
            Blocks head = blocks;
            head.count = fitting;
            append(head);
            blocks.offset += fitting * blocks.stride;
            blocks.count -= fitting;
        }
        return true;
    }
    template <typename Visit>
    bool finish(Visit&& visit) {
        if (group_.empty()) return true;
        const bool going = visit(group_);
        group_.parts.clear();
        group_.bytes = 0;
        return going;
    }

private:
    // How many of the blocks the group can take; 0: it must be read first. An empty group takes at least one.
    Index fits(const Blocks& blocks) const {
        if (!group_.empty() && blocks.offset - group_.end > tuning_.gap_bytes) return 0;
        const Index begin = group_.empty() ? blocks.offset : group_.begin;
        const Index room = begin + tuning_.buffer_bytes - blocks.offset;
        if (room < blocks.length) return group_.empty() ? 1 : 0;
        if (blocks.count == 1 || blocks.stride - blocks.length > tuning_.gap_bytes) return 1;
        return std::min(blocks.count, (room - blocks.length) / blocks.stride + 1);
    }
    void append(const Blocks& blocks) {
        if (group_.empty()) group_.begin = blocks.offset;
        group_.parts.push_back(blocks);
        group_.end = blocks.offset + (blocks.count - 1) * blocks.stride + blocks.length;
        group_.bytes += blocks.count * blocks.length;
    }
    const Tuning& tuning_;
    Group group_;
};

// Copies the bytes of a group that lie below `end` of the file, and returns how many these are.
Index pack_below(const Group& group, Index end, const std::byte* base, std::byte* to) {
    std::byte* const first = to;
    for (const Blocks& blocks : group.parts)
        for (Index i = 0; i < blocks.count; ++i) {
            const Index offset = blocks.offset + i * blocks.stride, bytes = std::clamp<Index>(end - offset, 0, blocks.length);
            if (bytes > 0) to = pack(base, {offset, bytes, 1, bytes}, to);
        }
    return to - first;
}

Moved read_group(PosixFile& file, const Group& group, Buffer& buffer, std::byte* to) {
    if (group.end - group.begin == group.bytes) return file.read(group.begin, to, group.bytes);
    std::byte* const row = buffer.of(group.end - group.begin);
    Moved moved = file.read(group.begin, row, group.end - group.begin);
    const std::byte* const base = row - group.begin;
    if (moved.bytes < group.end - group.begin) {
        moved.bytes = pack_below(group, group.begin + moved.bytes, base, to);
        return moved;
    }
    const Copying timed(file.meter());
    for (const Blocks& blocks : group.parts) to = pack(base, blocks, to);
    moved.bytes = group.bytes;
    return moved;
}

Moved read_into(PosixFile& file, const View& view, Index position, std::byte* to, Index bytes, Buffer& buffer,
                const Tuning& tuning) {
    Moved total;
    Grouping grouping(tuning);
    bool going = true;
    const auto read = [&](const Group& group) {
        Moved moved = read_group(file, group, buffer, to + total.bytes);
        total.bytes += moved.bytes;
        total.failure = std::move(moved.failure);
        return going = !total.failure && moved.bytes == group.bytes;
    };
    view.for_each(position, position + bytes, [&](const Blocks& blocks) {
        if (going) grouping.add(blocks, read);
    });
    if (going) grouping.finish(read);
    return total;
}

bool one_stretch(const Access& access) {
    const Span span = span_of(access);
    return span.end - span.begin == access.bytes;
}

// Cuts an access whose memory is ragged into chunks of the buffer. step(begin, end) moves stream bytes of the access.
template <typename Step>
Moved in_chunks(const Access& access, const Tuning& tuning, Step&& step) {
    Moved total;
    while (total.bytes < access.bytes) {
        const Index end = std::min(access.bytes, total.bytes + tuning.buffer_bytes), wanted = end - total.bytes;
        Moved moved = step(total.bytes, end);
        total.bytes += moved.bytes;
        total.failure = std::move(moved.failure);
        if (total.failure || moved.bytes < wanted) break;
    }
    return total;
}

}  // namespace

Span span_of(const Access& access) {
    if (access.bytes == 0) return {};
    return {access.view.offset(access.position), access.view.offset(access.position + access.bytes - 1) + 1};
}

Index pieces_of(const Access& access) {
    const sets::Extents& pattern = access.view.pattern;
    if (access.bytes == 0) return 0;
    if (access.view.contiguous()) return 1;
    const double each = static_cast<double>(pattern.size()) / static_cast<double>(pattern.runs());
    return std::max<Index>(1, static_cast<Index>(static_cast<double>(access.bytes) / each));
}

Moved write_alone(PosixFile& file, const Access& access, Buffer& buffer, const Tuning& tuning) {
    const Memory& memory = access.memory;
    if (access.bytes == 0) return {};
    if (memory.contiguous() && access.view.contiguous())
        return file.write(access.view.offset(access.position), memory.data(), access.bytes);
    if (memory.contiguous()) return write_from(file, access.view, access.position, memory.data(), access.bytes);
    if (rows_are_long(memory) && one_stretch(access))
        return move_rows(memory, 0, access.bytes, access.view.offset(access.position),
                         [&](Index offset, std::vector<iovec>& rows) { return file.write(offset, rows); });
    return in_chunks(access, tuning, [&](Index begin, Index end) {
        std::byte* const row = buffer.of(std::min(tuning.buffer_bytes, access.bytes));
        {
            const Copying timed(file.meter());
            gather(memory, begin, end, row);
        }
        return write_from(file, access.view, access.position + begin, row, end - begin);
    });
}

Moved read_alone(PosixFile& file, const Access& access, Buffer& buffer, const Tuning& tuning) {
    const Memory& memory = access.memory;
    if (access.bytes == 0) return {};
    if (memory.contiguous() && access.view.contiguous())
        return file.read(access.view.offset(access.position), memory.data(), access.bytes);
    if (memory.contiguous()) return read_into(file, access.view, access.position, memory.data(), access.bytes, buffer, tuning);
    if (rows_are_long(memory) && one_stretch(access))
        return move_rows(memory, 0, access.bytes, access.view.offset(access.position),
                         [&](Index offset, std::vector<iovec>& rows) { return file.read(offset, rows); });
    Buffer row_buffer;
    return in_chunks(access, tuning, [&](Index begin, Index end) {
        std::byte* const row = row_buffer.of(std::min(tuning.buffer_bytes, access.bytes));
        Moved moved = read_into(file, access.view, access.position + begin, row, end - begin, buffer, tuning);
        const Copying timed(file.meter());
        scatter(row, memory, begin, begin + moved.bytes);
        return moved;
    });
}

}  // namespace kumihimo::mpiio::direct
