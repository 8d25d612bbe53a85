// The running half of a gmove: moves what a plan says.
//
// On nodes that all reach each other's memory: a barrier, everyone copies what it wants from the others' blocks, a barrier.
// Elsewhere: messages between the pairs that share elements, packed where they are not contiguous on both sides; a node whose
// memory the receiver reaches sends an empty one, which says that its elements are ready. With async these messages are begun
// and the program goes on; a reader of another's memory then answers with an empty one, since there is no barrier at the end.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "runtime/globalview/gmove_convert.hpp"
#include "runtime/globalview/gmove_plan.hpp"
#include "runtime/globalview/team.hpp"

namespace kumihimo::globalview {

// What a plan is executed on.
struct GmoveMemory {
    std::byte* left;                        // base of this node's block, or the memory
    const std::byte* right;                 // null where this node has none
    std::vector<const std::byte*> sources;  // for each incoming part that is direct: the base of the other's block
    std::size_t left_bytes, right_bytes;    // of an element
    Convert convert;                        // null: same type
    bool staged;                            // the sides may overlap here: nothing is written before everyone has read
};

class GmoveExchange {
public:
    GmoveExchange(const GmovePlan& plan, const GmoveMemory& memory, Team& team) : plan_(plan), memory_(memory), team_(team) {}
    void run(bool reads_others);  // collective; whether the right side is a global array

    // The same in two halves, where waiting() says that there is something to wait for (the same on all nodes).
    bool waiting() const { return !team_.shared() && plan_.root < 0; }
    void start();    // collective
    bool advance();  // true once this node's part is complete: what it has and what others wanted of it

private:
    struct Incoming {
        std::byte* buffer = nullptr;  // dense
        bool straight = false;        // received into place
        int open = 0;                 // messages still to come
    };
    std::size_t choose_buffers();  // returns the bytes of all
    void provide_buffers(std::byte* place);
    void begin_messages();
    void broadcast();
    void receive_from(std::size_t place);
    void send_to(const GmovePart& part, std::byte* buffer);
    void expect_readers();
    bool progress();                  // true once no message is under way
    void take(std::size_t place);     // its elements can be had now
    void deliver(std::size_t place);  // from the buffer into the left side
    void deliver_staged();
    bool goes_straight(const GmovePart& part) const;
    std::size_t bytes(const GmovePart& part) const { return static_cast<std::size_t>(part.elements) * memory_.right_bytes; }

    const GmovePlan& plan_;
    const GmoveMemory& memory_;
    Team& team_;
    std::vector<Incoming> incoming_;
    std::vector<std::byte*> outgoing_;  // buffers
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> request_of_;  // incoming part of the first requests; the rest are sends and answers
    std::vector<int> completed_;
    std::unique_ptr<std::byte[]> own_buffers_;  // of one that was started
    int answer_tag_ = 0;                        // of the answers to it; 0: there are none
};

// Buffers are kept from one gmove to the next, up to a limit.
void forget_gmove_buffers();

}  // namespace kumihimo::globalview
