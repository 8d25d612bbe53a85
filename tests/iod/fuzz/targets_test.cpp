// What libFuzzer is given, for a moment: valid inputs, changed at random.
#include <gtest/gtest.h>

#include "tests/iod/fuzz/target.hpp"
#include "tests/iod/protocol/mutation.hpp"
#include "tests/support/long_form.hpp"

namespace kumihimo::iod::test {
namespace {

void try_changed(const Target& target, int rounds) {
    const std::vector<Payload> valid = target.valid();
    for (const Payload& input : valid) target.run(input);
    support::Random random;
    for (int round = 0; round < rounds * (support::long_form() ? 100 : 1) && !testing::Test::HasFailure(); ++round) {
        Payload input = valid[below(random, valid.size())];
        mutate(random, input);
        target.run(input);
    }
}

TEST(FuzzTargets, Messages) {
    try_changed(messages_target, 20'000);
}
TEST(FuzzTargets, Server) {
    try_changed(server_target, 200);
}
TEST(FuzzTargets, Client) {
    try_changed(client_target, 500);
}
TEST(FuzzTargets, Relay) {
    try_changed(relay_target, 100);  // each starts a process
}
TEST(FuzzTargets, Way) {
    try_changed(way_target, 5'000);
}

}  // namespace
}  // namespace kumihimo::iod::test
