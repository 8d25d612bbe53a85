// What is fuzzed: a parser that gets any bytes. libFuzzer finds them by what they reach (fuzzer.cpp, compiled with clang by
// `fuzz.py`); in CI each target gets valid ones with changes drawn at random (targets_test.cpp, with gcc).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "iod/protocol/payload.hpp"

namespace kumihimo::iod::test {

struct Target {
    const char* name;
    void (*run)(std::span<const std::byte> input);  // a failed expectation of GoogleTest: something is wrong
    std::vector<Payload> (*valid)();                // inputs that reach far
};
extern const Target messages_target, server_target, client_target, relay_target, way_target;

}  // namespace kumihimo::iod::test
