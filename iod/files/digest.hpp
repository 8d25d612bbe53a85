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
    void add(std::span<const std::byte> bytes);
    std::int64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Of the first `bytes` of a file, or of all that there are: read(at, to, got), Status; nothing got: the file has ended.
template <typename Read>
Status digest_of(Offset bytes, Read&& read, std::int64_t& value) {
    constexpr Offset most = 1 << 20;  // that are read at a time
    RunningDigest digest;
    std::vector<std::byte> buffer(most);
    std::size_t got = 1;
    for (Offset at = 0; at < bytes && got > 0; at += static_cast<Offset>(got)) {
        const std::span to = std::span(buffer).first(static_cast<std::size_t>(std::min(bytes - at, most)));
        got = 0;
        if (Status status = read(at, to, got); !status.ok()) return status;
        digest.add(to.first(got));
    }
    value = digest.value();
    return {};
}

}  // namespace kumihimo::iod
