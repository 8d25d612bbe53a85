// An image's mail: records on their way to others, gathered in batches, and messages that came, one after the other for each
// image. Knows nothing of what a record asks for.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/transport/messages/record.hpp"

namespace kumihimo::transport::messages {

// Up to here a transfer travels inside of its record.
constexpr std::size_t most_inside = 16 << 10;
constexpr std::size_t batch_bytes = 64 << 10;  // then a batch leaves

class Mail {
public:
    explicit Mail(MPI_Comm parent);  // collective: duplicates it
    ~Mail();                         // collective; when all mail is answered
    Mail(const Mail&) = delete;
    Mail& operator=(const Mail&) = delete;

    MPI_Comm communicator() const { return communicator_; }
    int rank() const { return rank_; }
    int size() const { return static_cast<int>(batches_.size()); }

    // To the batch for this image; it leaves when it is long, or by send.
    void add(int rank, const Record& record, std::span<const std::byte> levels, std::span<const std::byte> payload);
    std::byte* add(int rank, const Record& record, std::span<const std::byte> levels);  // the caller fills in the payload
    void leave_if_long(int rank);
    void send(int rank);

    // Bytes that follow a record as a message of their own. The first: `row` is kept until they have left; the second: complete
    // when the request is.
    void send_row(int rank, int tag, std::vector<std::byte> row);
    MPI_Request send_bytes(int rank, int tag, const std::byte* from, std::size_t bytes);
    MPI_Request receive_bytes(int rank, int tag, std::byte* to, std::size_t bytes);
    static constexpr int request_tag = 1, data_tag = 2, answer_tag = 3;  // of send_row and the others: one of the latter two

    // A message that has come, and its image.
    std::optional<int> receive(Message& message);
    void forget_sent();

    // Whether the request of a message from or to this image is complete; never, once that has gone.
    bool complete(int rank, MPI_Request& request);
    // Of an image that has gone: what it had sent before arrives now, or never will.
    void settle(MPI_Request& request);

    // An image that has gone gets nothing any more, and what it had sent counts no more. MPI may say so by an error.
    void give_up(int rank);
    bool gone(int rank) const { return gone_[static_cast<std::size_t>(rank)]; }
    bool all_here(MPI_Comm members) const;

private:
    struct Sent {
        int rank;
        MPI_Request request;
        std::vector<std::byte> bytes;
    };
    void keep(int rank, MPI_Request request, std::vector<std::byte> bytes);

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    std::vector<std::vector<std::byte>> batches_;  // by rank
    std::deque<Sent> sent_;                        // oldest first
    std::vector<std::vector<std::byte>> spare_;    // memory of batches that have left
    std::vector<bool> gone_;                       // by rank
    std::deque<Sent> lost_;                        // to those that have gone: MPI may still read the bytes
};

}  // namespace kumihimo::transport::messages
