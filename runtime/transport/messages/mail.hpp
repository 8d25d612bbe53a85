// An image's mail: records on their way to others, gathered in messages, and messages that came, one after the other for each
// image. Knows nothing of what a record asks for.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/messages/inbox.hpp"

namespace kumihimo::transport::messages {

class Mail {
public:
    explicit Mail(MPI_Comm parent);  // collective: duplicates it
    ~Mail();                         // collective; when all mail is answered
    Mail(const Mail&) = delete;
    Mail& operator=(const Mail&) = delete;

    MPI_Comm communicator() const { return communicator_; }
    int rank() const { return rank_; }
    int size() const { return static_cast<int>(messages_.size()); }

    // To the message for this image, which leaves when there is no room for the next one, or by send. The caller fills in the
    // payload.
    std::byte* add(int rank, const Record& record, std::span<const std::byte> levels);
    void add(int rank, const Record& record, std::span<const std::byte> levels, std::span<const std::byte> payload);
    void send(int rank);
    std::uint64_t sent(int rank) const { return number_[static_cast<std::size_t>(rank)]; }  // messages

    // Bytes that follow a record as a message of their own, from and to where they lie: complete when the request is, or when
    // the image that gets them says so.
    void send_in_place(int rank, int tag, const std::byte* from, std::size_t bytes);
    MPI_Request send_bytes(int rank, int tag, const std::byte* from, std::size_t bytes);
    MPI_Request receive_bytes(int rank, int tag, std::byte* to, std::size_t bytes);
    static constexpr int request_tag = 1, data_tag = 2, answer_tag = 3;  // of those: one of the latter two

    // A message that has come, and its image.
    std::optional<int> receive(Message& message) { return inbox_->receive(message); }
    void forget(Message& message) { buffers_.give_back(std::move(message.bytes)); }
    void forget_sent();

    // Whether the request of a message from or to this image is complete; never, once that has gone.
    bool complete(int rank, MPI_Request& request);

    // An image that has gone gets nothing any more, and what it had sent counts no more. MPI may say so by an error.
    void give_up(int rank);
    bool gone(int rank) const { return gone_[static_cast<std::size_t>(rank)]; }
    bool all_here(MPI_Comm members) const;

private:
    struct Sent {
        int rank;
        MPI_Request request;
        Bytes bytes;  // null: they lie elsewhere
    };
    void keep(Sent sent);

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    Buffers buffers_;
    std::optional<Inbox> inbox_;         // as long as the communicator
    std::vector<Message> messages_;      // by rank: that have not left
    std::vector<std::uint64_t> number_;  // by rank: of those that have
    std::deque<Sent> sent_;              // oldest first
    std::vector<bool> gone_;             // by rank
    std::deque<Sent> lost_;              // to those that have gone: MPI may still read the bytes
};

}  // namespace kumihimo::transport::messages
