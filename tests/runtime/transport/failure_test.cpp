// Transports that are not there, and one that fails.
#include <cstdlib>

#include "contract.hpp"

namespace kumihimo::transport {
namespace {

TEST(Failure, AnUnknownTransportIsAnErrorOnAllImagesThatNamesTheOthers) {
    try {
        make("no-such-transport", comm());
        FAIL() << "made a transport of nothing";
    } catch (const base::Error& error) {
        EXPECT_NE(std::string(error.what()).find("no-such-transport"), std::string::npos) << error.what();
        EXPECT_NE(error.advice().find(" mpi"), std::string::npos) << error.advice();
    }
}

TEST(Failure, MembersAreListedWithReasons) {
    const auto all = members();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all[0].name, "mpi");
    EXPECT_EQ(all[0].missing, "");
}

// Over messages, which every MPI library has between any machines.
class Faulty : public testing::Test {
protected:
    static std::unique_ptr<Transport> make_with(const char* plan) {
        const std::string before = base::setting("KUMIHIMO_FAULTY_TRANSPORT");
        setenv("KUMIHIMO_FAULTY_TRANSPORT", plan, 1);
        struct Restore {
            const std::string& value;
            ~Restore() { setenv("KUMIHIMO_FAULTY_TRANSPORT", value.c_str(), 1); }
        } const restore{before};
        return make("faulty", comm());
    }
};

TEST_F(Faulty, FailsAtTheCallAskedForAndGoesOn) {
    const auto transport = make_with("messages fail=3");
    const auto region = transport->allocate(64);  // call 1
    const std::int64_t value = 5;
    const auto put = [&] {
        transport->put(*region, rank(), 0, reinterpret_cast<const std::byte*>(&value), run_of(sizeof value));
    };
    EXPECT_NO_THROW(put());
    try {
        transport->fence();
        FAIL() << "call 3 did not fail";
    } catch (const base::Error& error) {
        EXPECT_STREQ(error.what(), "the transport faulty fails at call 3 (fence)");
        EXPECT_NE(error.advice(), "");
    }
    EXPECT_NO_THROW(transport->fence());
    EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(region->local()), 5);
}

TEST_F(Faulty, AFailedCollectiveFailsOnAllImages) {
    const auto transport = make_with("messages fail=1 node=0");
    EXPECT_THROW(transport->allocate(64), base::Error);
    EXPECT_NO_THROW(transport->allocate(64));
}

TEST_F(Faulty, RefusesPlansItDoesNotUnderstand) {
    EXPECT_THROW(make_with("messages fail=x"), base::Error);
    EXPECT_THROW(make_with("messages explode=1"), base::Error);
    EXPECT_THROW(make_with("faulty"), base::Error);
    EXPECT_THROW(make_with("no-such-transport"), base::Error);
}

}  // namespace
}  // namespace kumihimo::transport
