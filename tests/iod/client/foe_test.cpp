// A rank whose file is served by a foe: whatever is answered, each call returns with a status, and what it gave is no more than
// what was asked for. 3,000 conversations; 300,000 in the long form. KUMIHIMO_TEST_SEED repeats a run.
#include "tests/iod/client/foe.hpp"

#include "tests/support/long_form.hpp"

namespace kumihimo::iod::test {
namespace {

TEST(Foes, OfRanksAreSurvived) {
    ASSERT_EQ(converse(bytes_of(honest_answers())), 9) << "what is changed below was right";
    support::Random random;
    int all_well = 0;
    const int rounds = support::long_form() ? 300'000 : 3'000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Sent> answers = honest_answers();
        for (std::int64_t changes = random.between(1, 3); changes > 0; --changes) mutate(random, answers);
        Payload bytes = bytes_of(answers);
        if (random.one_of(4)) bytes.resize(below(random, bytes.size() + 1));
        if (random.one_of(4) && !bytes.empty())
            bytes[below(random, bytes.size())] = static_cast<std::byte>(random.between(0, 255));
        all_well += converse(bytes) == 9 ? 1 : 0;
    }
    EXPECT_LT(all_well, rounds) << "what was changed was noticed";
}

}  // namespace
}  // namespace kumihimo::iod::test
