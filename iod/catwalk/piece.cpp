#include "iod/catwalk/piece.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kumihimo::iod::process {

namespace {

constexpr std::size_t block = File::block_bytes;

}  // namespace

Piece::Piece(std::size_t capacity_bytes)
    : capacity_((capacity_bytes + block - 1) / block * block), memory_(page_memory(capacity_)) {}

// Short runs stand close to each other: they go through the page cache anyway.
bool Piece::begin_run(Offset offset, bool aligned) {
    const std::size_t phase = aligned ? static_cast<std::size_t>(offset) % block : 0;
    std::size_t at = aligned ? used_ / block * block + phase : used_;
    if (at < used_) at += block;
    if (at >= capacity_) return false;
    runs_.push_back({offset, at, 0, aligned});
    return true;
}

std::size_t Piece::add(Offset offset, std::span<const std::byte> data, bool long_run) {
    const bool follows = !runs_.empty() && runs_.back().end() == offset && used_ < capacity_;
    const bool goes_on = follows && (runs_.back().aligned || !long_run);
    if (!goes_on && !begin_run(offset, long_run)) return 0;
    Run& run = runs_.back();
    const std::size_t at = run.at + run.bytes, bytes = std::min(data.size(), capacity_ - at);
    std::memcpy(memory_.get() + at, data.data(), bytes);
    run.bytes += bytes;
    used_ = at + bytes;
    return bytes;
}

void Piece::clear() {
    runs_.clear();
    used_ = 0;
}

std::unique_ptr<Piece> PiecePool::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            std::unique_ptr<Piece> piece = std::move(free_.back());
            free_.pop_back();
            return piece;
        }
    }
    return std::make_unique<Piece>(piece_bytes_);
}

void PiecePool::give_back(std::unique_ptr<Piece> piece) {
    piece->clear();
    const std::lock_guard lock(mutex_);
    if (free_.size() < most_kept_) free_.push_back(std::move(piece));
}

}  // namespace kumihimo::iod::process
