// The digest of bytes that pass by: XXH3, 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "iod/protocol/messages.hpp"

namespace kumihimo::iod {

class RunningDigest {
public:
    RunningDigest();
    ~RunningDigest();
    RunningDigest(RunningDigest&&) noexcept;
    RunningDigest& operator=(RunningDigest&&) noexcept;
    void add(std::span<const std::byte> bytes);
    std::int64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Of a file's beginning. Whoever asks for more of it later has only the rest read.
class GrowingDigest {
public:
    // Of the first `bytes`, or of all that there are: read(at, to, got), Status; nothing got: the file has ended.
    template <typename Read>
    Status reach(Offset bytes, Read&& read, std::int64_t& value) {
        changed(bytes);
        std::vector<std::byte> buffer(static_cast<std::size_t>(std::clamp<Offset>(bytes - end_, 0, most_read)));
        for (std::size_t got = 1; end_ < bytes && got > 0; end_ += static_cast<Offset>(got)) {
            const std::span to = std::span(buffer).first(static_cast<std::size_t>(std::min(bytes - end_, most_read)));
            got = 0;
            if (Status status = read(end_, to, got); !status.ok()) return status;
            digest_.add(to.first(got));
        }
        value = digest_.value();
        return {};
    }
    // What lies behind `at` is another file's from now on.
    void changed(Offset at) {
        if (at < end_) *this = {};
    }

private:
    static constexpr Offset most_read = 1 << 20;  // bytes at a time

    RunningDigest digest_;
    Offset end_ = 0;
};

}  // namespace kumihimo::iod
