// A put, and one back: what images do that wait for elements of their own, or for a post. The last word of each put is a new
// number, so who waits sees that it has come. Through a transport, by one-sided MPI, and by messages of two sides.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/transport/transport.hpp"
#include "transport_hand.hpp"

namespace bench {

class Ball {
public:
    virtual ~Ball() = default;  // collective, as is the constructor
    // By the first process; sizes do not fall.
    void play(std::size_t bytes) {
        throw_back(bytes, number_ + 1);
        while (seen(bytes) != number_) continue;
    }
    // By the second, again and again.
    void answer(std::size_t bytes) {
        const std::int64_t number = seen(bytes);
        if (number > number_) throw_back(bytes, number);
    }

protected:
    static constexpr std::size_t words = largest / sizeof(std::int64_t);
    static std::size_t last(std::size_t bytes) { return bytes / sizeof(std::int64_t) - 1; }
    virtual void put(const std::int64_t* from, std::size_t bytes) = 0;  // which the other process will see
    virtual std::int64_t seen(std::size_t bytes) = 0;                   // the last word of what has come

private:
    void throw_back(std::size_t bytes, std::int64_t number) {
        memory_[last(bytes)] = number_ = number;
        put(memory_.data(), bytes);
    }

    std::vector<std::int64_t> memory_ = std::vector<std::int64_t>(words);
    std::int64_t number_ = 0;
};

class TransportBall final : public Ball {
public:
    TransportBall(kumihimo::transport::Transport& transport, int other)
        : transport_(transport), other_(other), region_(transport.allocate(largest)) {}

private:
    void put(const std::int64_t* from, std::size_t bytes) override {
        transport_.put(*region_, other_, 0, reinterpret_cast<const std::byte*>(from),
                       kumihimo::sets::Correspondence(static_cast<kumihimo::sets::Index>(bytes)));
        if (!transport_.fence_others(other_)) transport_.sent_to(other_);
    }
    std::int64_t seen(std::size_t bytes) override {
        transport_.poll();
        return reinterpret_cast<const volatile std::int64_t*>(region_->local())[last(bytes)];
    }

    kumihimo::transport::Transport& transport_;
    const int other_;
    std::unique_ptr<kumihimo::transport::Region> region_;
};

class WindowBall final : public Ball {
public:
    explicit WindowBall(int other) : other_(other) {
        MPI_Win_allocate(largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
        for (std::size_t i = 0; i < words; ++i) memory_[i] = 0;
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~WindowBall() override {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }

private:
    void put(const std::int64_t* from, std::size_t bytes) override {
        const int count = static_cast<int>(bytes);
        MPI_Put(from, count, MPI_BYTE, other_, 0, count, MPI_BYTE, window_);
        MPI_Win_flush(other_, window_);
    }
    std::int64_t seen(std::size_t bytes) override {
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);  // the put may need this process
        MPI_Win_sync(window_);
        return static_cast<const volatile std::int64_t*>(memory_)[last(bytes)];
    }

    const int other_;
    std::int64_t* memory_ = nullptr;
    MPI_Win window_ = MPI_WIN_NULL;
};

class MessageBall final : public Ball {
public:
    explicit MessageBall(int other) : other_(other) {
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
        expect();
    }
    ~MessageBall() override {
        MPI_Cancel(&request_);
        MPI_Wait(&request_, MPI_STATUS_IGNORE);
        MPI_Comm_free(&communicator_);
    }

private:
    void put(const std::int64_t* from, std::size_t bytes) override {
        MPI_Send(from, static_cast<int>(bytes), MPI_BYTE, other_, 0, communicator_);
    }
    std::int64_t seen(std::size_t bytes) override {
        int arrived = 0;
        MPI_Test(&request_, &arrived, MPI_STATUS_IGNORE);
        if (!arrived) return 0;
        const std::int64_t number = buffer_[last(bytes)];
        expect();
        return number;
    }
    void expect() { MPI_Irecv(buffer_.data(), static_cast<int>(largest), MPI_BYTE, other_, 0, communicator_, &request_); }

    const int other_;
    std::vector<std::int64_t> buffer_ = std::vector<std::int64_t>(words);
    MPI_Comm communicator_ = MPI_COMM_NULL;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace bench
