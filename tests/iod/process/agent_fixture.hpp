// A directory of its own for each test of the agent, and what is looked at there.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "iod/marks/marks.hpp"
#include "tests/iod/process/job.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod {

// In the names of tests.
inline void PrintTo(Method method, std::ostream* out) {
    constexpr const char* names[] = {"automatic", "immediate", "journal", "sort"};
    *out << names[static_cast<std::size_t>(method)];
}
inline void PrintTo(Topology topology, std::ostream* out) {
    constexpr const char* names[] = {"ring", "tree", "star"};
    *out << names[static_cast<std::size_t>(topology)];
}

}  // namespace kumihimo::iod

namespace kumihimo::iod::test {

namespace fs = std::filesystem;

class AgentTest : public testing::Test {
protected:
    std::vector<std::byte> content() const {
        std::ifstream file(path_, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const auto bytes = std::as_bytes(std::span(text));
        return {bytes.begin(), bytes.end()};
    }
    std::size_t neighbours() const {  // files beside it
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_), {})) - (fs::exists(path_) ? 1 : 0);
    }
    JobOptions options() const {
        JobOptions options;
        options.path = path_.string();
        options.options.sort_buffer = 4 << 20;
        return options;
    }

    const support::ScratchDirectory scratch_;
    const fs::path directory_ = scratch_.path(), path_ = directory_ / "result";
};

inline std::vector<std::byte> random_bytes(support::Random& random, std::size_t count) {
    return random.data(count);
}

// The name of a mark that a crash would leave of a file that is there.
inline std::string left_mark(const fs::path& file, std::uint32_t server = 1) {
    const marks::Place place = marks::place_of(file.string());
    return marks::MarkName{marks::stem_of(place.name), server, place.inode, marks::hex_of({})}.text();
}

inline void expect_all_ok(const std::vector<Status>& statuses) {
    for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status.text;
}

// Whether a process has ended; who inherited it may not have looked at it yet. Its first thread may have ended before the
// others, who then still hold its files and sockets.
inline bool ended(int process) {
    const fs::path place = "/proc/" + std::to_string(process);
    std::ifstream file(place / "stat");
    std::string line;
    if (!std::getline(file, line)) return true;
    std::error_code error;
    int threads = 0;
    for (fs::directory_iterator at(place / "task", error), end; !error && at != end; at.increment(error)) ++threads;
    return error || (line.at(line.rfind(')') + 2) == 'Z' && threads <= 1);
}

inline bool gone(int process, std::chrono::milliseconds patience = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
        if (ended(process)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

}  // namespace kumihimo::iod::test
