#include "iod/process/stager.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace kumihimo::iod::process {

namespace {

constexpr int most_attempts = 3;  // at a chunk that is written while it comes; then the piece alone is fetched

// Several pieces that are one answer. A piece that ended early before one that has bytes was a hole when it came: the file has
// grown since.
class Assembly {
public:
    Assembly(std::size_t pieces, Answered answered) : parts_(pieces), left_(pieces), answered_(std::move(answered)) {}
    void set(std::size_t number, std::size_t wanted, Reply&& reply) {
        status_.keep_first(reply.status);
        parts_[number] = {std::move(reply.bytes), wanted};
        if (--left_ == 0) finish();
    }

private:
    void finish() {
        Reply reply{status_};
        std::size_t begin = 0;
        for (const auto& [bytes, wanted] : parts_) {
            if (!bytes.empty()) reply.bytes.resize(begin);
            reply.bytes.insert(reply.bytes.end(), bytes.begin(), bytes.end());
            begin += wanted;
        }
        if (!status_.ok()) reply.bytes.clear();
        answered_(std::move(reply));
    }
    std::vector<std::pair<Payload, std::size_t>> parts_;
    std::size_t left_;
    Status status_;
    Answered answered_;
};

}  // namespace

Stager::Stager(std::size_t capacity_bytes, Offset stripe, Fetch fetch)
    : chunk_(std::gcd(chunk_bytes, stripe)), fetch_(std::move(fetch)) {
    most_chunks_ = std::max<std::size_t>(1, capacity_bytes / static_cast<std::size_t>(chunk_));
}

void Stager::read(Offset offset, std::uint64_t bytes, Answered answered) {
    if (bytes == 0) return answered({});
    const Offset end = offset + static_cast<Offset>(bytes);
    const std::size_t pieces = static_cast<std::size_t>((chunk_of(end - 1) - chunk_of(offset)) / chunk_ + 1);
    const auto whole = std::make_shared<Assembly>(pieces, std::move(answered));
    Offset begin = offset;
    for (std::size_t i = 0; i < pieces; ++i) {
        const Offset piece_end = std::min(end, chunk_of(begin) + chunk_);
        const std::size_t wanted = static_cast<std::size_t>(piece_end - begin);
        read_piece({begin, piece_end, 0, [whole, i, wanted](Reply&& reply) { whole->set(i, wanted, std::move(reply)); }});
        begin = piece_end;
    }
}

void Stager::answer(const Piece& piece, Offset chunk, const Payload& bytes) {
    const auto there = static_cast<Offset>(bytes.size());
    const Offset begin = std::min(piece.begin - chunk, there), end = std::min(piece.end - chunk, there);
    piece.answered({{}, 0, Payload(bytes.begin() + begin, bytes.begin() + end)});
}

void Stager::read_piece(Piece&& piece) {
    const Offset chunk = chunk_of(piece.begin);
    if (const auto found = chunks_.find(chunk); found != chunks_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second.recency);
        return answer(piece, chunk, found->second.bytes);
    }
    if (piece.attempts++ == most_attempts)
        return fetch_(piece.begin, static_cast<std::uint64_t>(piece.end - piece.begin), std::move(piece.answered));
    const auto [coming, first] = coming_.try_emplace(chunk);
    coming->second.waiting.push_back(std::move(piece));
    if (!first) return;
    ++fetched_;
    fetch_(chunk, static_cast<std::uint64_t>(chunk_), [this, chunk](Reply&& reply) { arrived(chunk, std::move(reply)); });
}

void Stager::arrived(Offset chunk, Reply&& reply) {
    auto node = coming_.extract(chunk);
    Coming& coming = node.mapped();
    if (!reply.status.ok()) {
        for (const Piece& piece : coming.waiting) piece.answered({reply.status});
    } else if (coming.stale) {
        for (Piece& piece : coming.waiting) read_piece(std::move(piece));
    } else {
        for (const Piece& piece : coming.waiting) answer(piece, chunk, reply.bytes);
        keep(chunk, std::move(reply.bytes));
    }
}

void Stager::keep(Offset chunk, Payload&& bytes) {
    while (chunks_.size() >= most_chunks_) {
        chunks_.erase(recent_.back());
        recent_.pop_back();
    }
    recent_.push_front(chunk);
    chunks_[chunk] = {std::move(bytes), recent_.begin()};
}

void Stager::patch(Offset offset, std::span<const std::byte> data) {
    if (chunks_.empty() && coming_.empty()) return;
    while (!data.empty()) {
        const Offset chunk = chunk_of(offset);
        const auto piece = data.first(std::min(data.size(), static_cast<std::size_t>(chunk + chunk_ - offset)));
        change(chunk, offset, piece);
        offset += static_cast<Offset>(piece.size());
        data = data.subspan(piece.size());
    }
}

void Stager::change(Offset chunk, Offset offset, std::span<const std::byte> data) {
    if (const auto found = coming_.find(chunk); found != coming_.end()) found->second.stale = true;
    const auto found = chunks_.find(chunk);
    if (found == chunks_.end()) return;
    Payload& bytes = found->second.bytes;
    const auto at = static_cast<std::size_t>(offset - chunk);
    if (bytes.size() < at + data.size()) bytes.resize(at + data.size());
    std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

void Stager::drop() {
    chunks_.clear();
    recent_.clear();
    for (auto& [chunk, coming] : coming_) coming.stale = true;
}

}  // namespace kumihimo::iod::process
