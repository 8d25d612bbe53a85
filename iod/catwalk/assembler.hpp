// Puts the records that leave for the file in a row: what follows each other is one run of a piece, whatever the records and
// batches were, and goes on in the next piece. A full piece is handed over to the writer.
#pragma once

#include <functional>

#include "iod/catwalk/piece.hpp"

namespace kumihimo::iod::process {

class Assembler : public RecordSink {
public:
    using Ready = std::function<void(std::unique_ptr<Piece>)>;

    Assembler(PiecePool& pool, Ready ready) : pool_(pool), ready_(std::move(ready)) {}

    void begin(Offset offset) override;
    void put(std::span<const std::byte> bytes) override;
    void finish();  // hands over what there is

private:
    PiecePool& pool_;
    Ready ready_;
    std::unique_ptr<Piece> piece_;  // that is being filled
    Offset end_ = -1;               // of the record that began last, as far as it has come
    std::size_t run_bytes_ = File::least_uncached_bytes;
    bool long_run_ = true;  // as long as nothing else is known: the first one may become long
};

}  // namespace kumihimo::iod::process
