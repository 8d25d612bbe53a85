// One file, open for one rank of another machine: its requests are done in order, by a thread, so that what comes is received
// while the disk works. Everything that a request says is checked before anything is done.
#pragma once

#include <atomic>
#include <functional>

#include "iod/files/again.hpp"
#include "iod/files/shared_word.hpp"
#include "iod/files/storage.hpp"
#include "iod/link/service.hpp"

namespace kumihimo::iod::process {

// Bytes that requests hold until they are done: of all sessions of a process, which share its connection.
using Waiting = std::atomic<std::size_t>;

class FileSession : public Service, public std::enable_shared_from_this<FileSession> {
public:
    FileSession(Host& host, std::uint32_t number, Stored file, FileOpen open, std::shared_ptr<Connection> opener,
                std::shared_ptr<Waiting> waiting);
    ~FileSession() override;

    void begin(const FrameHeader& request) override;
    void arrived(Connection& connection, Arrival&& arrival) override;
    void ended(Connection& connection, const Status& why) override;
    bool work() override;
    bool over() const override { return over_ || !connection_->is_open(); }
    void end() override { connection_->resume(); }

private:
    // Of requests that wait: more of them would only be memory, so the other side waits then.
    static constexpr std::size_t most_waiting = 32 << 20;
    static constexpr std::size_t request_bytes = 1 << 10;  // of any request, with what it is kept in

    struct Answer {
        Payload head, body;
    };
    using Job = std::function<Answer(Storage&)>;  // by the thread
    void later(const FrameHeader& request, std::size_t bytes, Job job, std::function<void(const Status&)> done = {});
    void write(Arrival&& arrival);
    void read(const Arrival& arrival);
    void call(const FrameHeader& request, const FileCall& call);
    void lock(const FrameHeader& request);
    void answer_result(const FrameHeader& request, const Status& status, std::int64_t value = 0);
    bool crowded() const { return *waiting_ > most_waiting; }

    Host& host_;
    std::uint32_t number_;
    FileOpen open_;
    std::shared_ptr<Connection> connection_;
    std::shared_ptr<Waiting> waiting_;
    std::unique_ptr<SharedWord> shared_;
    Again lock_;
    bool over_ = false;
    Stored file_;
};

}  // namespace kumihimo::iod::process
