#include "iod/catwalk/stager.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace kumihimo::iod::process {

namespace {

constexpr Offset smallest_chunk = Offset{64} << 10, largest_chunk = Offset{1} << 20;
constexpr Offset least_chunks = 8;  // in memory, if they are not smaller for that than the smallest
constexpr int most_attempts = 3;    // at a chunk that is written while it comes; then the piece alone is fetched

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
            if (!bytes.empty()) reply.bytes.resize(begin, std::byte{0});
            reply.bytes.append(bytes);
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

Stager::Stager(const StagerOptions& options, Fetch fetch)
    : stripe_(options.stripe), fetch_(std::move(fetch)), disk_(options.directory) {
    const auto share = static_cast<Offset>(options.capacity_bytes) / least_chunks;
    chunk_ = std::min(std::clamp(share, smallest_chunk, largest_chunk), stripe_);
    most_chunks_ = std::max<std::size_t>(1, options.capacity_bytes / static_cast<std::size_t>(chunk_));
}

Offset Stager::chunk_of(Offset offset) const {
    const Offset stripe = offset / stripe_ * stripe_;
    return stripe + (offset - stripe) / chunk_ * chunk_;
}

Offset Stager::end_of(Offset chunk) const {
    return chunk + std::min({chunk_, stripe_ - chunk % stripe_, std::numeric_limits<Offset>::max() - chunk});
}

// ---- reading ----

void Stager::read(Offset offset, std::uint64_t bytes, Answered answered) {
    if (bytes == 0) return answered({});
    const Offset end = offset + static_cast<Offset>(bytes);
    std::size_t pieces = 0;
    for (Offset begin = offset; begin < end; begin = end_of(chunk_of(begin))) ++pieces;
    const auto whole = std::make_shared<Assembly>(pieces, std::move(answered));
    Offset begin = offset;
    for (std::size_t i = 0; i < pieces; ++i) {
        const Offset piece_end = std::min(end, end_of(chunk_of(begin)));
        const std::size_t wanted = static_cast<std::size_t>(piece_end - begin);
        read_piece({begin, piece_end, 0, [whole, i, wanted](Reply&& reply) { whole->set(i, wanted, std::move(reply)); }});
        begin = piece_end;
    }
}

void Stager::answer(const Piece& piece, Offset chunk, const Payload& bytes) {
    const auto there = static_cast<Offset>(bytes.size());
    const Offset begin = std::min(piece.begin - chunk, there), end = std::min(piece.end - chunk, there);
    piece.answered({{}, 0, Payload(std::span(bytes).subspan(begin, end - begin))});
}

void Stager::read_piece(Piece&& piece) {
    const Offset chunk = chunk_of(piece.begin);
    if (const auto found = chunks_.find(chunk); found != chunks_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second.recency);
        return answer(piece, chunk, found->second.bytes);
    }
    if (read_from_disk(piece, chunk)) return;
    if (piece.attempts++ == most_attempts)
        return fetch_(piece.begin, static_cast<std::uint64_t>(piece.end - piece.begin), std::move(piece.answered));
    const auto [coming, first] = coming_.try_emplace(chunk);
    coming->second.waiting.push_back(std::move(piece));
    if (!first) return;
    wanted_.push_back(chunk);
    fetch_more();
}

// Only the piece itself: its neighbours are in the page cache, if there is memory for them.
bool Stager::read_from_disk(const Piece& piece, Offset chunk) {
    const auto found = on_disk_.find(chunk);
    if (found == on_disk_.end()) return false;
    const Offset end = std::min(piece.end, chunk + static_cast<Offset>(found->second));
    Payload bytes(static_cast<std::size_t>(std::max<Offset>(0, end - piece.begin)));
    if (!disk_.read(static_cast<std::uint64_t>(piece.begin), bytes)) {
        on_disk_.erase(found);
        return false;
    }
    piece.answered({{}, 0, std::move(bytes)});
    return true;
}

// ---- chunks come and stay ----

// As many at a time as there is memory for.
void Stager::fetch_more() {
    while (!wanted_.empty() && coming_.size() - wanted_.size() < most_chunks_) {
        while (!chunks_.empty() && chunks_.size() + coming_.size() - wanted_.size() >= most_chunks_) move_to_disk();
        const Offset chunk = wanted_.front();
        wanted_.pop_front();
        coming_[chunk].asked = true;
        ++fetched_;
        fetch_(chunk, static_cast<std::uint64_t>(end_of(chunk) - chunk),
               [this, chunk](Reply&& reply) { arrived(chunk, std::move(reply)); });
    }
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
    fetch_more();
}

void Stager::keep(Offset chunk, Payload&& bytes) {
    recent_.push_front(chunk);
    chunks_[chunk] = {std::move(bytes), recent_.begin()};
}

// The chunk that nobody read for the longest time. Without room there it is forgotten.
void Stager::move_to_disk() {
    const auto last = chunks_.find(recent_.back());
    const auto& [chunk, kept] = *last;
    if (disk_.write(static_cast<std::uint64_t>(chunk), kept.bytes)) on_disk_[chunk] = kept.bytes.size();
    chunks_.erase(last);
    recent_.pop_back();
}

// ---- writing ----

void Stager::patch(Offset offset, std::span<const std::byte> data) {
    if (chunks_.empty() && on_disk_.empty() && coming_.empty()) return;
    while (!data.empty()) {
        const Offset chunk = chunk_of(offset);
        const auto piece = data.first(std::min(data.size(), static_cast<std::size_t>(end_of(chunk) - offset)));
        change(chunk, offset, piece);
        offset += static_cast<Offset>(piece.size());
        data = data.subspan(piece.size());
    }
}

// On disk a chunk is not changed but forgotten: a record would cost a system call.
void Stager::change(Offset chunk, Offset offset, std::span<const std::byte> data) {
    if (const auto found = coming_.find(chunk); found != coming_.end()) found->second.stale = found->second.asked;
    on_disk_.erase(chunk);
    const auto found = chunks_.find(chunk);
    if (found == chunks_.end()) return;
    Payload& bytes = found->second.bytes;
    const auto at = static_cast<std::size_t>(offset - chunk);
    if (bytes.size() < at + data.size()) bytes.resize(at + data.size(), std::byte{0});
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));  // ranges::copy is a loop over bytes
}

void Stager::drop() {
    chunks_.clear();
    recent_.clear();
    on_disk_.clear();
    disk_.clear();
    for (auto& [chunk, coming] : coming_) coming.stale = coming.asked;
}

}  // namespace kumihimo::iod::process
