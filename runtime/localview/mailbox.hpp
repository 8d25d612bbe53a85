// How images tell each other small things: that they have synchronised, signalled in a barrier, ended. Images of one machine
// write into each other's memory, others send MPI messages; post always is a message. Receivers read only their own mailbox.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/execution/context.hpp"

namespace kumihimo::localview {

// The number of this image in the entire set; so are all numbers of images here.
inline int this_image() {
    return execution::Context::get().world_rank();
}

// Counters that one image writes into another's mailbox; they only grow. `entered`: the barriers of sets with both images that
// it has entered, which far images are told once somebody has failed; `failed` is a Failure, `ended` 1 + the barriers before;
// `closed` is the last of all: an image that has ended may still tell of others.
enum class Counter : int { synced, signalled, posted, ended, failed, entered, said, closed };

void open_mailboxes();              // collective
void forgive_lost_mail();           // collective, before any mail: what cannot be sent to an image that has died is no error
MPI_Comm forgiving_communicator();  // after that: of the entire set, for whatever has other tags than mail
constexpr int first_free_tag = 1;
std::int64_t most_meetings(int tags);  // that can have so many tags each
void close_mailboxes();                // collective, after every image has announced its end; it looks for failures no more
void receive_mail();                   // all that has come; called in every wait (failures.hpp)

// Counter of image `about` in the mailbox of `node`: written by `about` itself, but for `failed`, which others tell as well.
void tell(int node, Counter counter, int about, std::int64_t value);
void tell_end_of(int about, int node);  // where the three share memory: else it would overtake the last messages of that image
std::int64_t told(Counter counter, int about);  // in my mailbox
bool somebody_ended();                          // cheap; then has_ended says who
bool somebody_failed();                         // cheap; then failure_of says who
bool has_ended(int node);

enum class Failure : int { none, by_statement, died };
Failure failure_of(int node);                  // as far as is known here
void note_failure(int node, Failure failure);  // unless it is known

// The barriers of sets with this image and `node` that this image has entered; and that `node` has, as far as is known here:
// one of another machine must be told.
std::atomic<std::int64_t>& entered_with(int node);
std::int64_t entered_by(int node);
void tell_entry(int node);

// Of images of this machine: the last step with another image that it has left, and those that it went past without entering
// them when it last left a collective in the middle (desks.hpp).
void note_left(int node, std::int64_t step);
void note_skipped(int node, std::int64_t first, std::int64_t last);
std::int64_t left_by(int node);
bool skipped_by(int node, std::int64_t step);

// A number that this image shows to all, and what another shows: whoever asks knows, by a barrier, that it is there.
void say(const execution::NodeSet& set, std::int64_t number);
std::int64_t said_by(int node);

// What each image tells all others when it learns that a process has died, and again with each death after it: how many
// barriers with each of them it had completed. Known of an image as soon as it has said so.
std::int64_t completed_with(int node);
void tell_completed(int node, int died, std::int64_t count);
std::optional<std::int64_t> completed_by(int node, int died);

// The process of an image of this machine, which has come as far as to say so; 0: none that this process could see.
int process_of(int node);

// Locks that make accumulates on an image's memory atomic; null where that image has no direct pointer.
constexpr int accumulate_locks = 16;
std::atomic<int>* accumulate_lock(int node, int number);

// Posts that were sent to this image, oldest first.
void send_post(int node, int tag);
std::optional<int> take_post(const int* node, const int* tag);  // its poster; null: any
std::int64_t posts_received(int node);                          // taken or not

bool has_far_images();  // that are reached by messages only
bool is_far(int node);
std::vector<int> far_images();

}  // namespace kumihimo::localview
