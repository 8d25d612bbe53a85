// Messages from any image: receives that wait for them. MPI then knows where to put what comes, and one call finds it, where a
// probe would have to look again. Several may be on their way at once; those of one image come out in the order in which it
// sent them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "runtime/transport/messages/buffers.hpp"

namespace kumihimo::transport::messages {

class Inbox {
public:
    Inbox(MPI_Comm communicator, int tag, Buffers& buffers);
    ~Inbox();  // when nothing comes any more
    Inbox(const Inbox&) = delete;
    Inbox& operator=(const Inbox&) = delete;

    // The next message, and its image.
    std::optional<int> receive(Message& message);
    // An image has gone: messages that were on their way from it may keep the receives that they have found.
    void replace_receives();

private:
    struct Came {
        int rank;
        Message message;
    };
    void expect();
    void expect_one();
    std::optional<Came> look();
    Bytes take(std::size_t index);  // where the message lies that this receive has found, which is one no more

    MPI_Comm communicator_;
    int tag_;
    Buffers& buffers_;
    std::size_t wanted_ = 0;             // receives
    std::vector<MPI_Request> requests_;  // the oldest first, which is the one that the next message finds
    std::vector<Bytes> places_;          // of each request
    std::vector<std::uint64_t> taken_;   // by rank: messages
    std::list<Came> early_;              // that have overtaken others of their image
    unsigned looks_ = 0;
};

// Ends a receive from an image that may have gone: what it had sent before arrives now, or never will.
void settle(MPI_Request& request);

}  // namespace kumihimo::transport::messages
