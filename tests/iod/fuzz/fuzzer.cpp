// One target under libFuzzer, named by KUMIHIMO_FUZZ_TARGET. Now and then it begins anew with a valid input, so no files of
// such have to be kept.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/iod/fuzz/target.hpp"

namespace {

const kumihimo::iod::test::Target& target = kumihimo::iod::test::KUMIHIMO_FUZZ_TARGET;

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    static const auto valid = target.valid();
    if (seed % 50 == 0) {
        const auto& input = valid[seed / 50 % valid.size()];
        if (input.size() <= most) {
            std::memcpy(data, input.data(), input.size());
            size = input.size();
        }
    }
    return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    target.run(std::as_bytes(std::span(data, size)));
    if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) std::abort();  // libFuzzer keeps the input
    return 0;
}
