// The digest of bytes that pass by: XXH3, 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

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

}  // namespace kumihimo::iod
