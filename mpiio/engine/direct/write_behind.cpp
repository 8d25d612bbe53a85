#include "mpiio/engine/direct/write_behind.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo::mpiio::direct {

namespace {

constexpr Index ragged_bytes = 4096;  // of a piece

void keep(State& state, const std::optional<Failure>& failure) {
    if (!failure) return;
    if (!state.kept) state.kept = failure;
    state.lose(*failure);
}

void log_blocks(WriteLog& log, const Blocks& blocks, const std::byte*& from) {
    const bool row = blocks.stride == blocks.length;
    const Index length = row ? blocks.length * blocks.count : blocks.length;
    for (Index i = 0; i < (row ? 1 : blocks.count); ++i, from += length)
        std::memcpy(log.add(blocks.offset + i * blocks.stride, length), from, static_cast<std::size_t>(length));
}

void add(State& state, const Access& access) {
    const std::byte* from = access.memory.contiguous() ? access.memory.data() : nullptr;
    if (from == nullptr) {
        std::byte* const row = state.buffer.of(access.bytes);
        gather(access.memory, 0, access.bytes, row);
        from = row;
    }
    access.view.for_each(access.position, access.position + access.bytes,
                         [&](const Blocks& blocks) { log_blocks(state.log, blocks, from); });
}

// Pieces that would be an operation each: at the next collective flush aggregators may write them together with others'.
bool is_ragged(const State& state, const Access& access) {
    const Index pieces = pieces_of(access);
    return pieces > 1 && access.bytes < pieces * ragged_bytes && pieces < state.log.most_pieces();
}

}  // namespace

// A stretch that fails does not keep the others from being written. What could not be written is gone, and the failure says so.
std::optional<Failure> flush(State& state) {
    std::optional<Failure> failure;
    state.log.for_each_stretch([&](Index offset, std::vector<iovec>& memory) {
        Moved moved = state.file.write(offset, memory, state.system->gathered);
        if (moved.failure && !failure) failure = std::move(moved.failure);
    });
    state.log.clear();
    keep(state, failure);
    return failure;
}

bool write_behind(State& state, const Access& access) {
    if (!state.parameters.behind_asked) return false;
    const bool small = access.bytes < state.small_bytes();
    return (small || is_ragged(state, access)) && write_behind_whole(state, access);
}

bool write_behind_whole(State& state, const Access& access) {
    if (!state.may_write_behind() || state.same_file.open_twice() || access.bytes > state.log.capacity()) return false;
    if (!state.log.fits(access.bytes)) flush(state);
    if (access.bytes > 0) add(state, access);
    return true;
}

std::optional<Failure> flush_what_overlaps(State& state, const Access& access) {
    if (state.log.empty()) return std::nullopt;
    const Span span = span_of(access);
    return state.log.overlaps(span.begin, span.end) ? flush(state) : std::nullopt;
}

LoggedWrites::LoggedWrites(const WriteLog& log) : bytes(log.bytes()) {
    std::vector<std::pair<Index, Index>> in_file, in_memory;
    std::byte* base = nullptr;
    log.for_each([&](Index offset, std::byte* data, Index length) {
        if (base == nullptr) base = data;
        in_file.emplace_back(offset, length);
        in_memory.emplace_back(data - base, length);
    });
    view = {0, sets::Extents::blocks(in_file), 0};
    view.period = std::max<Index>(1, view.pattern.true_upper());
    memory = {base, sets::Extents::blocks(in_memory), 0};
    memory.period = std::max<Index>(1, memory.pattern.true_upper());
}

}  // namespace kumihimo::mpiio::direct
