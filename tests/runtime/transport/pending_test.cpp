// What is under way, against a list of all accesses: no conflict is missed, and up to eight extents of an image none is
// invented.
#include "runtime/transport/pending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kumihimo::transport {
namespace {

using Access = Pending::Access;

// Every access under way, by image: what Pending keeps in short.
class Everything {
public:
    explicit Everything(int images) : of_image_(static_cast<std::size_t>(images)) {}
    std::vector<Access>& operator[](int image) { return of_image_[static_cast<std::size_t>(image)]; }
    bool meets(int image, const Access& access) {
        const auto& others = (*this)[image];
        return std::any_of(others.begin(), others.end(), [&](const Access& other) {
            const bool overlap = std::max(access.first, other.first) < std::min(access.end, other.end);
            return overlap && !(access.kind > 0 && access.kind == other.kind);
        });
    }
    std::size_t dirty() const {
        return static_cast<std::size_t>(
            std::count_if(of_image_.begin(), of_image_.end(), [](const auto& accesses) { return !accesses.empty(); }));
    }

private:
    std::vector<std::vector<Access>> of_image_;
};

Access random_access(std::mt19937& random) {
    const auto first = static_cast<std::ptrdiff_t>(random() % 1000), bytes = static_cast<std::ptrdiff_t>(random() % 40 + 1);
    return {first, first + bytes, static_cast<int>(random() % 3)};
}

TEST(Pending, MissesNoConflictAndInventsNoneAmongFewAccesses) {
    constexpr int images = 3;
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        Pending pending;
        Everything all(images);
        for (int step = 0; step < 60; ++step) {
            const int image = static_cast<int>(random() % images);
            const Access access = random_access(random);
            const bool expected = all.meets(image, access), found = pending.meets(image, access);
            EXPECT_TRUE(found || !expected) << "a conflict is missed in round " << round;
            EXPECT_TRUE(found == expected || all[image].size() > 8) << "a conflict is invented in round " << round;
            if (random() % 20 == 0) {
                pending.done(image);
                all[image].clear();
            } else {
                pending.add(image, access);
                all[image].push_back(access);
            }
            EXPECT_EQ(pending.dirty().size(), all.dirty());
            EXPECT_EQ(pending.empty(), all.dirty() == 0);
        }
        pending.all_done();
        EXPECT_TRUE(pending.empty());
        for (int image = 0; image < images; ++image) EXPECT_FALSE(pending.meets(image, {0, 2000, 0}));
    }
}

TEST(Pending, ALoopThroughAnArrayIsOneExtent) {
    Pending pending;
    for (std::ptrdiff_t i = 0; i < 100; ++i) pending.add(1, {8 * i, 8 * i + 8, 0});
    pending.add(1, {4000, 4008, 0});
    EXPECT_TRUE(pending.meets(1, {0, 1, 0}));
    EXPECT_TRUE(pending.meets(1, {799, 800, 0}));
    EXPECT_FALSE(pending.meets(1, {800, 4000, 0}));
    EXPECT_TRUE(pending.meets(1, {4000, 4001, 0}));
}

}  // namespace
}  // namespace kumihimo::transport
