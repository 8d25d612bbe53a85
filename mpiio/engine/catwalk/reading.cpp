#include "mpiio/engine/catwalk/reading.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "copying/streams.hpp"

namespace kumihimo::mpiio::catwalk {

namespace {

using sets::Blocks;

constexpr Index gap_bytes = Index{1} << 16;      // that are read for nothing: less time than another request
constexpr Index group_bytes = Index{4} << 20;    // read together
constexpr Index request_bytes = Index{1} << 20;  // less than a frame
constexpr std::size_t most_requests = 16;        // under way: more might fill the sockets of both directions

// ---- a stretch of the file without gaps ----

struct Request {
    Index begin, bytes;
    iod::Session::Reading reading;
};

// What one server has of [begin, end) in one piece.
Index piece_at(const Source& source, Index begin, Index end) {
    const Index stripe_end = source.servers > 1 ? (begin / source.stripe + 1) * source.stripe : end;
    return std::min({end - begin, stripe_end - begin, request_bytes});
}

// The bytes of a piece that are there, holes filled.
Index complete(const Source& source, const Request& request, Index got) {
    const Index there = std::clamp<Index>(source.known_end - request.begin, got, std::max(got, request.bytes));
    std::memset(request.reading.to.data() + got, 0, static_cast<std::size_t>(there - got));
    return there;
}

// Requests in the order of the file. Bytes behind the first that is not there do not count, but all answers are taken.
class Stretch {
public:
    Stretch(const Source& source, Index begin) : source_(source), begin_(begin) {}
    Moved read(Index end, std::byte* to) {
        for (Index at = begin_, bytes; at < end && moved_.status.ok(); at += bytes) {
            bytes = piece_at(source_, at, end);
            if (under_way_.size() == most_requests) finish_oldest();
            begin(at, bytes, to + (at - begin_));
        }
        while (!under_way_.empty()) finish_oldest();
        return std::move(moved_);
    }

private:
    void begin(Index at, Index bytes, std::byte* to) {
        Request request{at, bytes, {}};
        const auto server = static_cast<std::uint32_t>(at / source_.stripe % source_.servers);
        const auto asked =
            source_.session.begin_read(server, at, {to, static_cast<std::size_t>(bytes)}, source_.fresh, request.reading);
        moved_.status.keep_first(asked);
        if (asked.ok()) under_way_.push_back(request);
    }
    void finish_oldest() {
        const Request request = under_way_.front();
        under_way_.pop_front();
        std::size_t got = 0;
        moved_.status.keep_first(source_.session.end_read(request.reading, got));
        if (!moved_.status.ok() || begin_ + moved_.bytes != request.begin) return;
        moved_.bytes += complete(source_, request, static_cast<Index>(got));
    }

    const Source& source_;
    Index begin_;
    std::deque<Request> under_way_;
    Moved moved_;
};

// ---- the stretches of a view ----

// Visits the contiguous stretches of stream bytes [begin, end), none longer than a group: visit(offset, bytes).
template <typename Visit>
void for_each_part(const View& view, Index begin, Index end, Visit&& visit) {
    view.for_each(begin, end, [&](const Blocks& blocks) {
        const bool one_stretch = blocks.stride == blocks.length;
        const Index length = one_stretch ? blocks.size() : blocks.length, count = one_stretch ? 1 : blocks.count;
        for (Index i = 0; i < count; ++i)
            for (Index done = 0; done < length; done += group_bytes)
                visit(blocks.offset + i * blocks.stride + done, std::min(group_bytes, length - done));
    });
}

}  // namespace

// Parts of a view that are read together, with the gaps between them.
struct Reader::Group {
    struct Part {
        Index offset, bytes;
    };
    std::vector<Part> parts;
    Index begin = 0, end = 0, bytes = 0;

    bool takes(Index offset, Index length) const {
        return parts.empty() || (offset - end <= gap_bytes && offset + length - begin <= group_bytes);
    }
    void add(Index offset, Index length) {
        if (parts.empty()) begin = offset;
        parts.push_back({offset, length});
        end = offset + length;
        bytes += length;
    }
    void clear() {
        parts.clear();
        bytes = 0;
    }
};

Moved Reader::read_group(const Source& source, const Group& group, std::byte* to) {
    const bool has_gaps = group.end - group.begin != group.bytes;
    if (!has_gaps) return Stretch(source, group.begin).read(group.end, to);
    gaps_.resize(static_cast<std::size_t>(group_bytes));
    Moved moved = Stretch(source, group.begin).read(group.end, gaps_.data());
    const Index there = group.begin + std::exchange(moved.bytes, 0);
    for (const Group::Part& part : group.parts) {
        const Index bytes = std::clamp<Index>(there - part.offset, 0, part.bytes);
        std::memcpy(to + moved.bytes, gaps_.data() + (part.offset - group.begin), static_cast<std::size_t>(bytes));
        moved.bytes += bytes;
    }
    return moved;
}

Moved Reader::read_row(const Source& source, const View& view, Index position, std::byte* to, Index bytes) {
    Moved total;
    Group group;
    bool going = true;
    const auto finish = [&] {
        Moved moved = read_group(source, group, to + total.bytes);
        total.bytes += moved.bytes;
        total.status = std::move(moved.status);
        going = total.status.ok() && moved.bytes == group.bytes;
        group.clear();
    };
    for_each_part(view, position, position + bytes, [&](Index offset, Index length) {
        if (going && !group.takes(offset, length)) finish();
        if (going) group.add(offset, length);
    });
    if (going) finish();
    return total;
}

Moved Reader::read(const Source& source, const Access& access) {
    const Memory& memory = access.memory;
    if (access.bytes == 0) return {};
    if (memory.contiguous()) return read_row(source, access.view, access.position, memory.data(), access.bytes);
    Moved total;
    row_.resize(static_cast<std::size_t>(std::min(group_bytes, access.bytes)));
    while (total.bytes < access.bytes && total.status.ok()) {
        const Index wanted = std::min(group_bytes, access.bytes - total.bytes);
        Moved moved = read_row(source, access.view, access.position + total.bytes, row_.data(), wanted);
        scatter(row_.data(), memory, total.bytes, total.bytes + moved.bytes);
        total.bytes += moved.bytes;
        total.status = std::move(moved.status);
        if (moved.bytes < wanted) break;
    }
    return total;
}

}  // namespace kumihimo::mpiio::catwalk
