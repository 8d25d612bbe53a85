#include "mpiio/engine/spread/file.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo::mpiio::spread {

namespace {

constexpr Index window_bytes = 16 << 20;

Memory in_a_row(std::byte* bytes, Index count) {
    return {bytes, sets::Extents::contiguous(count), std::max<Index>(1, count)};
}

void collect(const Pieces& pieces, const std::byte* row, std::byte* part) {
    for (const auto& [at, length] : pieces.rows) part = std::copy_n(row + at, length, part);
}

void distribute(const Pieces& pieces, const std::byte* part, std::byte* row) {
    for (const auto& [at, length] : pieces.rows) {
        std::copy_n(part, length, row + at);
        part += length;
    }
}

}  // namespace

Member::~Member() {
    file.reset();
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

// ---- transfers ----

// In atomic mode one file's lock is that of all: they have the same users.
template <typename Transfer>
Outcome SpreadFile::locked(Transfer&& transfer) {
    return atomic_ ? first().as_a_whole(transfer) : transfer();
}

Outcome SpreadFile::read(const Access& access) {
    return locked([&] { return read_alone(access); });
}
Outcome SpreadFile::write(const Access& access) {
    return locked([&] { return write_alone(access); });
}

Outcome SpreadFile::read_all(const Access& access) {
    std::optional<Failure> failure = flush();
    Outcome outcome = read(access);
    if (!failure && access.earlier_failure != nullptr) failure = *access.earlier_failure;
    if (failure) outcome.failure = failure;
    return outcome;
}
Outcome SpreadFile::write_all(const Access& access) {
    Outcome outcome = write(access);
    if (access.earlier_failure != nullptr) outcome.failure = *access.earlier_failure;
    return outcome;
}

Outcome SpreadFile::write_alone(const Access& access) {
    for (Index begin = 0; begin < access.bytes; begin += window_bytes) {
        const Index end = std::min(access.bytes, begin + window_bytes);
        row_.resize(static_cast<std::size_t>(end - begin));
        copying::gather(access.memory, begin, end, row_.data());
        const auto pieces = pieces_of(spread_, access.view, access.position + begin, access.position + end);
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (pieces[i].bytes == 0) continue;
            part_.resize(static_cast<std::size_t>(pieces[i].bytes));
            collect(pieces[i], row_.data(), part_.data());
            const View view = pieces[i].view();
            const Memory memory = in_a_row(part_.data(), pieces[i].bytes);
            const Outcome outcome = members_[i].file->write({view, 0, pieces[i].bytes, memory});
            if (outcome.failure) return {begin, outcome.failure};
        }
    }
    return {access.bytes, std::nullopt};
}

// Bytes that a file does not have are 0 if the whole goes on behind them.
std::optional<Failure> SpreadFile::read_window(const Access& access, Index begin, Index end, bool& ended) {
    row_.assign(static_cast<std::size_t>(end - begin), std::byte{0});
    const auto pieces = pieces_of(spread_, access.view, access.position + begin, access.position + end);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (pieces[i].bytes == 0) continue;
        part_.assign(static_cast<std::size_t>(pieces[i].bytes), std::byte{0});
        const View view = pieces[i].view();
        const Memory memory = in_a_row(part_.data(), pieces[i].bytes);
        const Outcome outcome = members_[i].file->read({view, 0, pieces[i].bytes, memory});
        if (outcome.failure) return outcome.failure;
        ended = ended || outcome.moved < pieces[i].bytes;
        distribute(pieces[i], part_.data(), row_.data());
    }
    return std::nullopt;
}

Outcome SpreadFile::read_alone(const Access& access) {
    Index limit = access.bytes;
    for (Index begin = 0; begin < limit; begin += window_bytes) {
        Index end = std::min(limit, begin + window_bytes);
        bool ended = false;
        if (auto failure = read_window(access, begin, end, ended)) return {begin, failure};
        if (ended) {
            Index bytes = 0;
            if (auto failure = size(bytes)) return {begin, failure};
            limit = std::clamp<Index>(access.view.position(bytes) - access.position, 0, access.bytes);
            end = std::clamp(limit, begin, end);
        }
        copying::scatter(row_.data(), access.memory, begin, end);
    }
    return {limit, std::nullopt};
}

// ---- the file as a whole ----

template <typename Call>
std::optional<Failure> SpreadFile::each(Call&& call) {
    std::optional<Failure> first;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        auto failure = call(i, *members_[i].file);
        if (!first) first = std::move(failure);
    }
    return first;
}

std::optional<Failure> SpreadFile::size(Index& bytes) {
    bytes = 0;
    return each([&](std::size_t i, EngineFile& file) {
        Index here = 0;
        auto failure = file.size(here);
        if (!failure) bytes = std::max<Index>(bytes, spread_.end_of_whole(i, here));
        return failure;
    });
}

std::optional<Failure> SpreadFile::set_size(Index bytes) {
    return each([&](std::size_t i, EngineFile& file) { return file.set_size(spread_.share(i, bytes)); });
}

std::optional<Failure> SpreadFile::preallocate(Index bytes) {
    return each([&](std::size_t i, EngineFile& file) { return file.preallocate(spread_.share(i, bytes)); });
}

std::optional<Failure> SpreadFile::flush() {
    return each([](std::size_t, EngineFile& file) { return file.flush(); });
}

std::optional<Failure> SpreadFile::sync() {
    return each([](std::size_t, EngineFile& file) { return file.sync(); });
}

std::optional<Failure> SpreadFile::close() {
    return each([](std::size_t, EngineFile& file) { return file.close(); });
}

std::optional<Failure> SpreadFile::set_atomic(bool atomic) {
    atomic_ = atomic;
    return each([&](std::size_t, EngineFile& file) { return file.set_atomic(atomic); });
}

void SpreadFile::set_hints(const Hints& hints) {
    for (const Member& member : members_) member.file->set_hints(hints);
}

Counters SpreadFile::counters() const {
    Counters all;
    for (const Member& member : members_) all += member.file->counters();
    return all;
}

}  // namespace kumihimo::mpiio::spread
