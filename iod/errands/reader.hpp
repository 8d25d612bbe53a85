// Reads ahead: pieces are asked for in order, perhaps of several files, and taken in that order. Of each file no more is under
// way than its window, which fills the way: what waits longer is in no processor's cache any more when it is taken.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <span>

#include "base/settings.hpp"
#include "iod/errands/place.hpp"

namespace kumihimo::iod::errands {

struct Piece {
    std::int64_t at, length;  // as it was asked for; where the file ended before, there are fewer bytes
};

class Reader {
public:
    explicit Reader(std::function<void(const Piece& piece, std::span<const std::byte> bytes)> take) : take_(std::move(take)) {}

    // `length` bytes from `offset` of a file. `at` is the taker's own name for them. Throws Failure, also of earlier pieces.
    void ask(OpenFile& from, std::int64_t offset, const Piece& piece) {
        Remote& remote = from.remote();
        const auto length = static_cast<std::size_t>(piece.length);
        const auto full = [&] { return remote.under_way() + length > remote.window() || under_way_ + length > most_; };
        while (!asked_.empty() && full()) take_oldest();
        Asked asked{&from, offset, {}, piece};
        if (from.here() == nullptr) expect(remote.begin_read({{{offset, piece.length, {}}}}, asked.reading));
        asked_.push_back(asked);
        under_way_ += length;
        while (!asked_.empty() && asked_.front().from->here() != nullptr) take_oldest();  // there is nothing to wait for
    }
    void finish() {
        while (!asked_.empty()) take_oldest();
    }

private:
    struct Asked {
        OpenFile* from;
        std::int64_t offset;
        Remote::Reading reading;
        Piece piece;
    };
    void take_oldest() {
        const Asked asked = asked_.front();
        asked_.pop_front();
        under_way_ -= static_cast<std::size_t>(asked.piece.length);
        take_(asked.piece, bytes_of(asked));
    }
    std::span<const std::byte> bytes_of(const Asked& asked) {
        std::span<const std::byte> bytes;
        if (process::File* const file = asked.from->here()) {
            std::size_t got = 0;
            holder_.resize(static_cast<std::size_t>(asked.piece.length));
            expect(file->read(asked.offset, holder_, got));
            bytes = std::span(holder_).first(got);
        } else {
            expect(asked.from->remote().end_read(asked.reading, holder_, bytes));
        }
        return bytes;
    }

    std::function<void(const Piece&, std::span<const std::byte>)> take_;
    const std::size_t most_ = static_cast<std::size_t>(base::setting_number("KUMIHIMO_STAMPI_WINDOW"));
    std::size_t under_way_ = 0;
    std::deque<Asked> asked_;
    Payload holder_;
};

}  // namespace kumihimo::iod::errands
