#include "mpiio/engine/direct/runs.hpp"

namespace kumihimo::mpiio::direct {

Runs::Runs(const Access& access) {
    access.view.for_each(access.position, access.position + access.bytes, [&](const Blocks& blocks) { add(blocks); });
}

Runs::Runs(std::vector<Blocks> blocks) {
    blocks_.reserve(blocks.size());
    before_.reserve(blocks.size() + 1);
    for (const Blocks& part : blocks) add(part);
}

void Runs::add(Blocks blocks) {
    if (blocks.count > 1 && blocks.stride == blocks.length) {
        blocks.length *= blocks.count;
        blocks.count = 1;
    }
    if (blocks.count == 1) blocks.stride = blocks.length;
    grain_ = std::gcd(grain_, std::gcd(blocks.offset, std::gcd(blocks.length, blocks.stride)));
    before_.push_back(before_.back() + blocks.length * blocks.count);
    const bool joins =
        blocks.count == 1 && !blocks_.empty() && blocks_.back().count == 1 && end_of(blocks_.back()) == blocks.offset;
    if (!joins) {
        blocks_.push_back(blocks);
        return;
    }
    blocks_.back().length += blocks.length;
    blocks_.back().stride = blocks_.back().length;
    before_.erase(before_.end() - 2);
}

std::size_t Runs::first_behind(Index offset) const {
    const auto found =
        std::partition_point(blocks_.begin(), blocks_.end(), [&](const Blocks& blocks) { return end_of(blocks) <= offset; });
    return static_cast<std::size_t>(found - blocks_.begin());
}

Index Runs::below(Index offset) const {
    const std::size_t i = first_behind(offset);
    if (i == blocks_.size() || blocks_[i].offset >= offset) return before_[i];
    const Blocks& blocks = blocks_[i];
    const Index distance = offset - blocks.offset, whole = distance / blocks.stride;
    return before_[i] + whole * blocks.length + std::min(distance - whole * blocks.stride, blocks.length);
}

}  // namespace kumihimo::mpiio::direct
