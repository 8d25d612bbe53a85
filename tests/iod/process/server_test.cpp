// A server by itself: its writer, its second thread for syncs, and the loop. Built once more under the thread sanitizer.
#include "iod/catwalk/server.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <asio/executor_work_guard.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/scratch_directory.hpp"

namespace kumihimo::iod::process {
namespace {

namespace fs = std::filesystem;

class ServerTest : public testing::Test {
protected:
    ServerTest() {
        ServerOptions options{(directory_ / "file").string(), "here", 0, {true, true, true, false, false, 0644}};
        options.fifo_bytes = 1 << 20;
        server_ = std::make_unique<Server>(loop_, std::move(options));
        EXPECT_TRUE(wait([&](Answered answered) { server_->open(std::move(answered)); }).status.ok());
    }
    template <typename Question>
    Reply wait(Question&& question) {
        std::optional<Reply> reply;
        question([&](Reply&& told) { reply = std::move(told); });
        while (!reply) loop_.run_one();
        return std::move(*reply);
    }
    Reply ask(std::variant<Read, Call, Drain> what) {
        return wait([&](Answered answered) { server_->ask({what, std::move(answered)}); });
    }

    asio::io_context loop_;
    asio::executor_work_guard<asio::io_context::executor_type> guard_{loop_.get_executor()};
    const support::ScratchDirectory directory_;
    std::unique_ptr<Server> server_;
};

// Many times the interval of the syncs, so that they run beside the writer.
TEST_F(ServerTest, WritesReadsAndSyncsSideBySide) {
    const std::size_t bytes = std::size_t{256} << 10, count = 600;
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Batch batch;
        batch.add(static_cast<Offset>(i * bytes), std::vector<std::byte>(bytes, static_cast<std::byte>(i)));
        while (!server_->has_room()) loop_.run_one();
        batch.for_each([&](Offset offset, std::span<const std::byte> data) {
            server_->records().begin(offset);
            server_->records().put(data);
        });
        most = std::max(most, server_->queued_bytes());
        if (i % 100 != 0) continue;
        const Reply reply = ask(Read{0, static_cast<Offset>(i * bytes), 10, 0, true});
        ASSERT_EQ(reply.bytes, Payload(10, static_cast<std::byte>(i)));
    }
    EXPECT_LE(most, (std::size_t{1} << 20) + bytes + 4096);
    EXPECT_EQ(ask(Call{0, Function::size, 0, 0}).value, static_cast<Offset>(bytes * count));
    EXPECT_TRUE(ask(Drain{0, 1, Purpose::close, 0, {}}).status.ok());
    EXPECT_EQ(server_->counts().bytes_written, bytes * count);
    EXPECT_EQ(server_->counts().seeks, 1u);
}

TEST_F(ServerTest, RecordsThatFollowEachOtherAreOneWrite) {
    Batch batch;
    for (const Offset offset : {0, 100, 200, 500, 600}) batch.add(offset, std::vector<std::byte>(100, std::byte{1}));
    batch.for_each([&](Offset offset, std::span<const std::byte> data) {
        server_->records().begin(offset);
        server_->records().put(data);
    });
    EXPECT_EQ(ask(Call{0, Function::size, 0, 0}).value, 700);
    EXPECT_EQ(server_->counts().writes, 2u);
}

TEST_F(ServerTest, WaitsForTheDeviceOnlyIfSomethingHasChanged) {
    const auto sync_seconds = [&] { return server_->counts().sync_seconds.load(); };
    double before = 0;
    const auto expect_sync = [&](bool wanted, Purpose purpose, std::uint64_t epoch) {
        EXPECT_TRUE(ask(Drain{0, epoch, purpose, 0, {}}).status.ok());
        EXPECT_EQ(sync_seconds() > before, wanted) << "drain " << epoch;
        before = sync_seconds();
    };
    expect_sync(true, Purpose::sync, 1);  // the file was opened, who knows
    expect_sync(false, Purpose::sync, 2);
    server_->records().begin(5);
    server_->records().put(std::vector<std::byte>(10));
    expect_sync(false, Purpose::show, 3);
    expect_sync(true, Purpose::sync, 4);
    EXPECT_TRUE(ask(Call{0, Function::set_size, 3, 0}).status.ok());
    expect_sync(true, Purpose::sync, 5);
    expect_sync(false, Purpose::close, 6);
}

// Dropped in the middle of its work: nothing is answered any more, nothing is used after its end.
TEST_F(ServerTest, EndsWithWorkLeft) {
    bool answered = false;
    for (int i = 0; i < 50; ++i) {
        Batch batch;
        batch.add(i * 1000, std::vector<std::byte>(100'000));
        batch.for_each([&](Offset offset, std::span<const std::byte> data) {
            server_->records().begin(offset);
            server_->records().put(data);
        });
        server_->ask({Read{0, 0, 100, 0, true}, [&](Reply&&) { answered = true; }});
    }
    server_.reset();
    loop_.poll();
    EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace kumihimo::iod::process
