// How fast a rank's window and connections follow a link: a model of one, with ssh's window for each connection, moves as much
// as the slower of the two allows.
#include "iod/client/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace kumihimo::iod {
namespace {

struct Road {
    double bytes_per_second, round_trip;
    std::size_t most_streams = 8;
};

struct Moved {
    double first_seconds;  // until the last second's rate was 0.9 of what is possible, or all was moved
    double last_rate;      // of the last second
    std::size_t streams;
};

constexpr std::size_t part = std::size_t{1} << 20;
constexpr double seconds = 10, round_trips_of_a_start = 12;

// What the link and the windows of so many connections allow.
double possible(const Road& road, std::size_t streams) {
    return std::min(road.bytes_per_second, static_cast<double>(streams * Flow::stream_window) / road.round_trip);
}

Moved move(const Road& road) {
    Flow flow(std::size_t{64} << 20);
    flow.round_trip(road.round_trip);
    std::deque<double> under_way;                // when each part is answered
    std::vector<double> free_at(1, 0), answers;  // free_at: when each connection's window has room
    double now = 0, link_free_at = 0, more_at = -1;
    std::size_t more = 0;
    while (now < seconds) {
        if (more == 0) {
            more = flow.more_streams(free_at.size(), road.most_streams);
            more_at = now + round_trips_of_a_start * road.round_trip;
        } else if (now >= more_at) {
            free_at.resize(free_at.size() + more, now);
            more = 0;
            flow.widened();
        }
        if (!under_way.empty() && flow.under_way() + part > flow.window()) {
            now = std::max(now, under_way.front());
            under_way.pop_front();
            flow.answered(part, now);
            answers.push_back(now);
            continue;
        }
        double& free = *std::ranges::min_element(free_at);
        const double begin = std::max({now, free, link_free_at});
        link_free_at = begin + part / road.bytes_per_second;
        free = begin + part / (Flow::stream_window / road.round_trip);
        const double before = under_way.empty() ? 0 : under_way.back();  // answers are waited for in their order
        under_way.push_back(std::max({before, link_free_at + road.round_trip, free}));
        flow.sent(part, now);
    }
    const auto rate_until = [&](double end) {
        const auto first = std::ranges::lower_bound(answers, end - 1), last = std::ranges::lower_bound(answers, end);
        return static_cast<double>((last - first) * static_cast<std::ptrdiff_t>(part));
    };
    double first = 1;
    while (first < seconds && rate_until(first) < 0.9 * possible(road, road.most_streams)) first += 0.1;
    return {first, rate_until(seconds), free_at.size()};
}

constexpr double megabit = 1e6 / 8, unlimited = 400e6;  // as much as a processor encrypts

TEST(Flow, FillsTheWayFromAShortTimeOn) {
    for (const double rate : {21 * megabit, 200 * megabit, 800 * megabit, unlimited})
        for (const double round_trip : {0.0002, 0.01, 0.03, 0.1}) {
            const Road road{rate, round_trip};
            const Moved moved = move(road);
            EXPECT_GT(moved.last_rate + part, 0.9 * possible(road, road.most_streams))
                << rate << " B/s, " << round_trip << " s";
            EXPECT_LT(moved.first_seconds, 1.5 + 20 * round_trip) << rate << " B/s, " << round_trip << " s";
        }
}

TEST(Flow, AsksForNoMoreConnectionsThanHelp) {
    EXPECT_EQ(move({unlimited, 0.0002}).streams, 1u) << "no delay";
    EXPECT_EQ(move({800 * megabit, 0.01}).streams, 1u) << "one connection's window is twice what fills the way";
    EXPECT_EQ(move({170e6, 0.01}).streams, 1u) << "processors are slower than one connection's window, hardly";
    EXPECT_EQ(move({unlimited, 0.01}).streams, 4u) << "of a short way twice as many, as long as that helps";
    EXPECT_EQ(move({21 * megabit, 0.1}).streams, 1u) << "the link is slower than one connection";
    EXPECT_EQ(move({800 * megabit, 0.1}).streams, 8u);
    EXPECT_EQ(move({800 * megabit, 0.1, 3}).streams, 3u) << "as many as may be";
}

TEST(Flow, TakesAllDifferentWaysWhateverTheDelay) {
    Flow flow(std::size_t{64} << 20);
    flow.round_trip(0.0002);
    flow.sent(part, 0);
    EXPECT_EQ(flow.more_streams(1, 8, 2), 0u) << "too little for a second one";
    flow.sent(2 * part, 0);
    EXPECT_EQ(flow.more_streams(1, 8, 2), 1u) << "before anything was measured";
    flow.answered(3 * part, 0.0001);
    for (double now = 0; now < 0.1; now += 0.01) {
        flow.sent(4 * part, now);
        flow.answered(4 * part, now + 0.01);
    }
    EXPECT_EQ(flow.more_streams(1, 8, 1), 0u);
    EXPECT_EQ(flow.more_streams(1, 8, 2), 1u);
    EXPECT_EQ(flow.more_streams(2, 8, 2), 0u);
    EXPECT_EQ(flow.more_streams(1, 2, 3), 1u) << "no more than may be";
}

TEST(Flow, AsksForLittleAtOnceOnASlowWay) {
    const auto piece_at = [](double bytes_per_second) {
        Flow flow(std::size_t{64} << 20);
        for (int i = 0; i < 200; ++i) {
            flow.sent(part, i * part / bytes_per_second);
            flow.answered(part, (i + 1) * part / bytes_per_second);
        }
        return flow.piece();
    };
    EXPECT_EQ(Flow(part).piece(), part) << "before anything was measured";
    EXPECT_EQ(piece_at(1e9), part);
    EXPECT_NEAR(static_cast<double>(piece_at(21 * megabit)), 21 * megabit / 20, 1000) << "50 ms";
    EXPECT_EQ(piece_at(1e5), std::size_t{64} << 10);
}

TEST(Flow, HasRoomForAllDifferentWays) {
    for (std::size_t ways = 1; ways <= 8; ++ways) {
        Flow flow(std::size_t{64} << 20);
        flow.round_trip(0.0002);
        std::size_t streams = 1;
        while (flow.under_way() + part <= flow.window(ways)) {
            flow.sent(part, 0);
            streams += flow.more_streams(streams, 8, ways);
        }
        EXPECT_EQ(streams, ways);
    }
}

// Before each read one part is under way that was read ahead; on a slow way each answer takes long.
TEST(Flow, ReadsThatWaitForTheirEndShowThatTheWayIsFull) {
    Flow flow(std::size_t{64} << 20);
    flow.round_trip(0.0002);
    flow.sent(part, 0);
    double now = 0;
    for (int read = 0; read < 3; ++read) {
        for (int i = 0; i < 4; ++i) flow.sent(part, now);
        for (int i = 0; i < 4; ++i) flow.answered(part, now += 0.4);
    }
    EXPECT_EQ(flow.more_streams(1, 8, 2), 1u);
}

TEST(Flow, KeepsWithinTheWindowThatIsAllowed) {
    Flow flow(std::size_t{4} << 20);
    EXPECT_EQ(flow.window(), std::size_t{4} << 20);
    flow.round_trip(10);
    flow.sent(std::size_t{1} << 30, 0);
    flow.answered(std::size_t{1} << 30, 100);
    EXPECT_EQ(flow.window(), std::size_t{4} << 20);
    EXPECT_EQ(flow.under_way(), 0u);
}

}  // namespace
}  // namespace kumihimo::iod
