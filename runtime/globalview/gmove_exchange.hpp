// The running half of a gmove: moves what a plan says.
//
// On nodes that all reach each other's memory: a barrier, everyone copies what it wants from the others' blocks, a barrier.
// What little all want of one node it shows to all. Elsewhere: messages between the pairs that share elements, packed where
// they are not contiguous on both sides; a node whose memory the receiver reaches sends an empty one, which says that its
// elements are ready, and which the receiver answers with another one when it has read them: there is no barrier at the end.
// With async these messages are begun and the program goes on. Where many nodes have little for each other, it all travels in
// one exchange of all nodes, if a rule of collectives/ has an algorithm for it: then hosts exchange one message instead of one
// for each pair of their nodes.
//
// What goes through buffers goes in pieces, two of each pair at a time: both sides cut the elements of a pair, in the order of
// the dense buffer, every `piece` of them. So the memory does not grow with the arrays (KUMIHIMO_GMOVE_BUFFER). Only sides that
// overlap are read whole before anything is written.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "runtime/globalview/gmove_convert.hpp"
#include "runtime/globalview/gmove_plan.hpp"
#include "runtime/teams/team.hpp"

namespace kumihimo::globalview {

using teams::Team;

// What a plan is executed on.
struct GmoveMemory {
    std::byte* left = nullptr;                    // of this node's block, or of the memory: where the plan's copies begin
    const std::byte* right = nullptr;             // null where they take nothing from here
    std::vector<const std::byte*> sources;        // for each incoming part that is direct: in the other's block
    std::size_t left_bytes = 0, right_bytes = 0;  // of an element
    Convert convert = nullptr;                    // null: same type
    bool staged = false;                          // the sides may overlap here: nothing is written before everyone has read
};

class GmoveExchange {
public:
    GmoveExchange(const GmovePlan& plan, const GmoveMemory& memory, Team& team);
    void run(bool reads_others);  // collective; whether the right side is a global array

    // The same in two halves, where waiting() says that there is something to wait for (the same on all nodes).
    bool waiting() const { return !team_.shared() && plan_.root < 0; }
    void start();    // collective
    bool advance();  // true once this node's part is complete: what it has and what others wanted of it

private:
    struct Elements {
        Index first, count;
    };
    struct Flow {  // of one pair
        std::byte* buffer = nullptr;
        bool whole = false;  // the buffer, or the array itself, has a place for each piece
        Index next = 0;      // piece to be begun
        int open = 0;        // messages under way
    };
    struct Message {  // of the request with the same number
        enum class Kind { receive, send, other } kind = Kind::other;
        std::size_t place = 0;  // incoming or outgoing part
        Index piece = 0;
        std::byte* data = nullptr;
    };

    std::size_t choose_buffers();  // returns the bytes of all
    void provide_buffers(std::byte* place);
    std::size_t buffer_bytes(const Flow& flow, const GmovePart& part) const;
    bool straight_in(const GmovePart& part) const;  // the dense buffer would be one run of the array itself
    bool straight_out(const GmovePart& part) const;

    void begin_messages();
    void begin_pieces(Message::Kind kind, std::size_t place);
    void begin_piece(std::size_t request);
    void continue_with(std::size_t request);
    MPI_Request* next_request();
    void exchange(bool reads_others);
    void exchange_between_machines();
    bool exchange_together();  // whether that was done
    void broadcast();
    void send_to_all(const GmovePart& part, bool root);
    void expect_readers();
    bool progress();  // true once no message is under way

    void take(std::size_t place);  // its elements can be read from the other's memory now
    void gather(const GmovePart& part, const Elements& elements, const std::byte* from, std::byte* data) const;
    void deliver(const GmovePart& part, const Elements& elements, const std::byte* data) const;
    void deliver_staged();
    Index pieces(const GmovePart& part) const;
    Elements elements_of(const GmovePart& part, Index piece) const;
    std::size_t bytes(Index elements) const { return static_cast<std::size_t>(elements) * memory_.right_bytes; }

    const GmovePlan& plan_;
    const GmoveMemory& memory_;
    Team& team_;
    Index piece_;  // elements
    std::vector<Flow> incoming_, outgoing_;
    std::vector<MPI_Request> requests_;
    std::vector<Message> messages_;
    std::vector<int> completed_;
    std::unique_ptr<std::byte[]> own_buffers_;  // of one that was started
    int data_tag_, answer_tag_ = 0;             // answers: 0, there are none
};

// Tags of the messages of nonblocking operations, by their numbers (Team::next_operation).
enum class AsyncTag { data, answer, end };
int async_tag(int operation, AsyncTag tag);

// Elements of a part that may travel together with all others, on these nodes.
Index most_elements_together(const Team& team, std::size_t element_bytes);

// Elements of a piece of this many nodes' gmove; the same on all of them.
Index gmove_piece(int nodes, std::size_t element_bytes);

// `count` dense elements as the left side has them; overwritten by the next call.
const std::byte* as_left(const GmoveMemory& memory, const std::byte* data, Index count);

// Buffers are kept from one gmove to the next, up to a limit.
void forget_gmove_buffers();

}  // namespace kumihimo::globalview
