// Transports that are not there, and one that fails.
#include "fixture.hpp"

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

}  // namespace
}  // namespace kumihimo::transport
