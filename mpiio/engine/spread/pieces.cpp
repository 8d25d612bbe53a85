#include "mpiio/engine/spread/pieces.hpp"

#include <algorithm>

namespace kumihimo::mpiio::spread {

namespace {

// A list of blocks in which adjacent ones are one.
void append(std::vector<std::pair<Index, Index>>& list, Index at, Index length) {
    if (!list.empty() && list.back().first + list.back().second == at)
        list.back().second += length;
    else
        list.emplace_back(at, length);
}

class Dealer {
public:
    explicit Dealer(const way::Spread& spread) : spread_(spread), pieces_(spread.files.size()) {}

    void deal(Index offset, Index length) {
        while (length > 0) {
            const way::Spread::Place place = spread_.place_of(offset);
            const Index part = std::min<Index>(length, place.left);
            Pieces& pieces = pieces_[place.file];
            append(pieces.places, place.offset, part);
            append(pieces.rows, position_, part);
            pieces.bytes += part;
            offset += part, position_ += part, length -= part;
        }
    }
    std::vector<Pieces> take() { return std::move(pieces_); }

private:
    const way::Spread& spread_;
    std::vector<Pieces> pieces_;
    Index position_ = 0;
};

}  // namespace

View Pieces::view() const {
    const sets::Extents pattern = sets::Extents::blocks(places);
    return {0, pattern, std::max<Index>(1, pattern.upper())};
}

std::vector<Pieces> pieces_of(const way::Spread& spread, const View& view, Index begin, Index end) {
    Dealer dealer(spread);
    view.for_each(begin, end, [&](const sets::Blocks& blocks) {
        for (Index i = 0; i < blocks.count; ++i) dealer.deal(blocks.offset + i * blocks.stride, blocks.length);
    });
    return dealer.take();
}

}  // namespace kumihimo::mpiio::spread
