// The running half of reflect and reduce_shadow: the connections of one array with the nodes it exchanges shadows with, made
// once for each (array, widths, orthogonal) and used for every exchange of them. What arrives is copied, or added to what is
// there: then in the order of the neighbours, so that sums are the same in every run. Told for reflect:
//
// Between nodes that share memory a transfer goes one of two ways:
//   packed: the source copies its elements into a mailbox of the receiver and raises a flag; the receiver copies them into its
//           shadow. One flag, no answer: mailboxes alternate between two slots. Best for small halos and for columns.
//   pulled: the source raises its flag when its elements are ready; the receiver copies them from the source's array straight
//           into its shadow and answers; the source waits for the answer. One copy instead of two. Best for large halos of long
//           runs.
// Otherwise it goes by persistent MPI messages.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/execution/objects.hpp"
#include "runtime/globalview/shadow_plan.hpp"
#include "runtime/teams/operation.hpp"
#include "sets/correspondence.hpp"

namespace kumihimo::globalview {

using teams::Operation;

class HaloChannel {
public:
    // Collective over the array's nodes, which must include this one. add: null for a copy.
    HaloChannel(const execution::Array& array, const ShadowPlan& plan, const Operation* add);
    ~HaloChannel();
    HaloChannel(const HaloChannel&) = delete;
    HaloChannel& operator=(const HaloChannel&) = delete;

    void start();    // what others get of the array is final. Completes an exchange that is still under way.
    bool advance();  // does what can be done; true once the exchange is complete
    void finish();

private:
    enum class Way { none, packed, pulled, message };
    struct Mailbox;
    struct Neighbour {
        int number = -1;  // in the array's node set
        std::vector<sets::Correspondence> pack, unpack, pull;
        std::size_t in_bytes = 0, out_bytes = 0;
        Way in = Way::none, out = Way::none;
        Mailbox* from_it = nullptr;  // in my memory, it writes
        Mailbox* to_it = nullptr;    // in its memory, I write; both null without shared memory
        std::byte* its_array = nullptr;
        std::unique_ptr<std::byte[]> in_buffer, out_buffer;  // of messages
        bool arrived = false;                                // the message of the current exchange
        bool received = true, released = true;               // of the current exchange
    };

    void plan_copies(const execution::Array& array, const ShadowPlan& plan);
    Neighbour& neighbour(int number);
    void connect(MPI_Comm communicator, const execution::Array& array);
    void prepare_messages(MPI_Comm communicator);
    void send(Neighbour& to);
    void receive(Neighbour& from);
    void deliver(const std::vector<sets::Correspondence>& copies, const std::byte* from);
    bool has_arrived(const Neighbour& from) const;
    bool poll(Neighbour& one, bool may_receive);
    bool poll_messages();

    std::byte* array_;                       // first allocated element here
    const Operation* add_;                   // null: copy
    std::vector<sets::Correspondence> own_;  // from this node to itself
    std::vector<Neighbour> neighbours_;
    std::unique_ptr<memory::Segment> mailboxes_;
    std::vector<MPI_Request> requests_;  // receives, then sends
    std::vector<Neighbour*> receiving_, sending_;
    std::vector<int> completed_;
    int open_messages_ = 0;
    std::uint64_t epoch_ = 0;
    bool under_way_ = false;
};

}  // namespace kumihimo::globalview
