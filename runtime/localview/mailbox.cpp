#include "runtime/localview/mailbox.hpp"

#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <utility>

#include "base/communicator.hpp"
#include "base/progress.hpp"
#include "base/wait.hpp"
#include "runtime/localview/job_transport.hpp"
#include "runtime/memory/segment.hpp"

namespace kumihimo::localview {

namespace {

using execution::Context;

constexpr int mail_tag = 0;  // other rooms have higher ones
static_assert(mail_tag < first_free_tag);
constexpr int counters = 8;
constexpr int post_message = counters, completed_message = counters + 1;  // the kinds of messages are the counters and these

// What one image knows of another. A cache line, since one image writes it and another waits on it.
struct alignas(64) Line {
    std::atomic<std::int64_t> counter[counters];
};
enum class Own { entered, left, first_skipped, last_skipped };  // steps with each image
constexpr std::size_t own_kinds = 4;
struct alignas(64) Lock {
    std::atomic<int> taken;
};
// An image's mailbox; zero-filled memory is an empty one.
struct Mailbox {
    Lock locks[accumulate_locks];
    alignas(64) std::atomic<int> somebody_ended, somebody_failed;
    std::atomic<std::int64_t> said;
    std::uint64_t process_space;     // process numbers mean the same in processes of the same space
    std::atomic<int> process;        // written last
    alignas(64) Line first_line[1];  // of as many as there are images
    Line* lines() { return first_line; }
    // What only its owner writes, for each image.
    std::atomic<std::int64_t>* own(Own which, std::size_t images) {
        auto* const first = reinterpret_cast<std::atomic<std::int64_t>*>(first_line + images);
        return first + static_cast<std::size_t>(which) * row(images);
    }
    static std::size_t row(std::size_t images) { return (images + 7) / 8 * 8; }  // cache lines
    static std::size_t bytes(std::size_t images) {
        return sizeof(Mailbox) + images * sizeof(Line) + own_kinds * row(images) * sizeof(std::atomic<std::int64_t>);
    }
};

struct Message {
    int kind, about;
    std::int64_t value;
    std::uint64_t after;  // what its image had put here before: puts_came_from
};
struct Outgoing {
    int node;
    MPI_Request request;
    Message message;
};
struct Post {
    int node, tag;
};

struct Office {
    std::unique_ptr<memory::Segment> segment;
    std::vector<Mailbox*> boxes;  // by number in the entire set; null: on another machine
    Mailbox* mine = nullptr;
    std::atomic<std::int64_t>* entered = nullptr;  // in my mailbox
    MPI_Comm communicator = MPI_COMM_NULL;
    std::list<Outgoing> outgoing;
    std::list<Outgoing> lost;                 // to images that have died: MPI may still read them
    std::map<int, std::deque<Message>> held;  // by who sent it, until puts have come that were made before
    std::deque<Post> posts;
    std::vector<std::int64_t> posts_sent, posts_received;   // for each image
    std::map<std::pair<int, int>, std::int64_t> completed;  // by who said it, and of whose death
    bool far = false, forgiving = false;

    static Office& get() {
        static auto& office = *new Office;
        return office;
    }
};

std::size_t index_of(int number) {
    return static_cast<std::size_t>(number);
}

void forget_delivered(Office& office) {
    for (auto one = office.outgoing.begin(); one != office.outgoing.end();) {
        const auto next = std::next(one);
        int delivered = 0;
        if (failure_of(one->node) == Failure::died)
            office.lost.splice(office.lost.end(), office.outgoing, one);
        else if (MPI_Test(&one->request, &delivered, MPI_STATUS_IGNORE) != MPI_SUCCESS || delivered != 0)
            office.outgoing.erase(one);
        one = next;
    }
}

// Small messages leave at once; they are kept until MPI no longer needs them. An image that has died gets none: for each of
// them Open MPI would try to connect once more.
void send(Office& office, int node, const Message& message) {
    forget_delivered(office);
    if (failure_of(node) == Failure::died) return;
    Outgoing& one = office.outgoing.emplace_back(Outgoing{node, MPI_REQUEST_NULL, message});
    const int code = MPI_Isend(&one.message, sizeof one.message, MPI_BYTE, node, mail_tag, office.communicator, &one.request);
    if (code == MPI_SUCCESS) return;
    one.request = MPI_REQUEST_NULL;
    if (office.forgiving) note_failure(node, Failure::died);
}

void enter(Mailbox& box, const Message& message) {
    std::atomic<std::int64_t>& counter = box.lines()[message.about].counter[message.kind];
    if (message.kind == static_cast<int>(Counter::failed)) {  // several tell it
        for (std::int64_t before = counter; before < message.value;) counter.compare_exchange_weak(before, message.value);
        box.somebody_failed.store(1, std::memory_order_release);
        return;
    }
    counter.store(message.value, std::memory_order_release);
    if (message.kind == static_cast<int>(Counter::ended)) box.somebody_ended.store(1, std::memory_order_release);
}

void deliver(Office& office, int source, const Message& message) {
    if (message.kind == completed_message) {
        office.completed[{source, message.about}] = message.value;
        return;
    }
    if (message.kind != post_message) return enter(*office.mine, message);
    office.posts.push_back({source, static_cast<int>(message.value)});
    ++office.posts_received[index_of(source)];
}

void receive(Office& office, int source, const Message& message) {
    if (!office.held.contains(source) && puts_came_from(source, message.after))
        deliver(office, source, message);
    else
        office.held[source].push_back(message);
}

void deliver_held(Office& office) {
    for (auto one = office.held.begin(); one != office.held.end();) {
        auto& [source, mail] = *one;
        for (; !mail.empty() && puts_came_from(source, mail.front().after); mail.pop_front())
            deliver(office, source, mail.front());
        one = mail.empty() ? office.held.erase(one) : std::next(one);
    }
}

void receive_all(Office& office) {
    deliver_held(office);
    for (;;) {
        int found = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, mail_tag, office.communicator, &found, &status);
        if (!found) return;
        Message message;
        MPI_Recv(&message, sizeof message, MPI_BYTE, status.MPI_SOURCE, mail_tag, office.communicator, MPI_STATUS_IGNORE);
        receive(office, status.MPI_SOURCE, message);
    }
}

// The kernel's number of this process's space of process numbers; 0: unknown.
std::uint64_t process_space() {
    struct stat space = {};
    return stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
}

bool heard_all(const Office& office, int node) {
    return told(Counter::closed, node) != 0 && office.posts_received[index_of(node)] >= told(Counter::posted, node);
}

}  // namespace

void open_mailboxes() {
    Office& office = Office::get();
    const Context& context = Context::get();
    const std::size_t images = index_of(context.world_size());
    office.segment = memory::Segment::allocate(context.world_communicator(), Mailbox::bytes(images), "mailboxes");
    for (int node = 0; node < context.world_size(); ++node)
        office.boxes.push_back(reinterpret_cast<Mailbox*>(office.segment->direct(node)));
    office.mine = office.boxes[index_of(context.world_rank())];
    office.entered = office.mine->own(Own::entered, images);
    office.mine->process_space = process_space();
    office.mine->process.store(getpid(), std::memory_order_release);
    office.far = std::find(office.boxes.begin(), office.boxes.end(), nullptr) != office.boxes.end();
    office.posts_sent.assign(images, 0);
    office.posts_received.assign(images, 0);
    office.communicator = context.private_communicator();
}

void forgive_lost_mail() {
    Office& office = Office::get();
    office.communicator = base::copy_of(office.communicator);
    office.forgiving = true;
    MPI_Comm_set_errhandler(office.communicator, MPI_ERRORS_RETURN);
}

MPI_Comm forgiving_communicator() {
    return Office::get().communicator;
}

std::int64_t most_meetings(int tags) {
    static const int highest = [] {
        int known = 0, *highest_tag = nullptr;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest_tag, &known);
        return known != 0 ? *highest_tag : 32767;  // the least that there may be (MPI-4.0 9.1.2)
    }();
    return (highest - first_free_tag + 1) / tags;
}

void receive_mail() {
    Office& office = Office::get();
    if (office.communicator == MPI_COMM_NULL) return;
    receive_all(office);
    if (!office.outgoing.empty()) forget_delivered(office);
}

// Messages arrive in order: after the last one nothing of that image is under way.
void close_mailboxes() {
    Office& office = Office::get();
    const Context& context = Context::get();
    for (int node = 0; node < context.world_size(); ++node) tell(node, Counter::closed, context.world_rank(), 1);
    for (int node = 0; node < context.world_size(); ++node)
        base::wait_until([&] {
            base::progress();
            receive_mail();
            return heard_all(office, node);
        });
    for (Outgoing& one : office.outgoing) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    if (office.forgiving) MPI_Comm_free(&office.communicator);
    office = Office{};
}

void tell(int node, Counter counter, int about, std::int64_t value) {
    Office& office = Office::get();
    Message message{static_cast<int>(counter), about, value, 0};
    if (Mailbox* const box = office.boxes[index_of(node)]) return enter(*box, message);
    message.after = puts_sent_to(node);
    send(office, node, message);
}

std::int64_t told(Counter counter, int about) {
    return Office::get().mine->lines()[about].counter[static_cast<int>(counter)].load(std::memory_order_acquire);
}

bool somebody_ended() {
    return Office::get().mine->somebody_ended.load(std::memory_order_acquire) != 0;
}

bool somebody_failed() {
    const Mailbox* const mine = Office::get().mine;
    return mine != nullptr && mine->somebody_failed.load(std::memory_order_acquire) != 0;
}

bool has_ended(int node) {
    return somebody_ended() && told(Counter::ended, node) != 0;
}

Failure failure_of(int node) {
    return somebody_failed() ? static_cast<Failure>(told(Counter::failed, node)) : Failure::none;
}

void note_failure(int node, Failure failure) {
    const auto value = static_cast<std::int64_t>(failure);
    if (value > told(Counter::failed, node)) tell(this_image(), Counter::failed, node, value);
}

std::atomic<std::int64_t>& entered_with(int node) {
    return Office::get().entered[node];
}

namespace {

std::atomic<std::int64_t>* own_of(int node, Own which) {
    Mailbox* const box = Office::get().boxes[index_of(node)];
    return box == nullptr ? nullptr : box->own(which, index_of(Context::get().world_size()));
}

std::int64_t told_to_me(int node, Own which) {
    return own_of(node, which)[this_image()].load(std::memory_order_acquire);
}

void note(int node, Own which, std::int64_t count) {
    own_of(this_image(), which)[node].store(count, std::memory_order_release);
}

}  // namespace

void tell_end_of(int about, int node) {
    if (!is_far(node) && own_of(about, Own::entered) != nullptr)
        tell(node, Counter::ended, about, 1 + own_of(about, Own::entered)[node].load(std::memory_order_acquire));
}

std::int64_t entered_by(int node) {
    if (!is_far(node)) return told_to_me(node, Own::entered);
    return std::max({told(Counter::entered, node), told(Counter::signalled, node), told(Counter::ended, node) - 1});
}

void note_left(int node, std::int64_t count) {
    note(node, Own::left, count);
}

// Readers look at the last one first.
void note_skipped(int node, std::int64_t first, std::int64_t last) {
    note(node, Own::first_skipped, first);
    note(node, Own::last_skipped, last);
}

std::int64_t left_by(int node) {
    return told_to_me(node, Own::left);
}

bool skipped_by(int node, std::int64_t step) {
    return told_to_me(node, Own::last_skipped) >= step && told_to_me(node, Own::first_skipped) <= step;
}

void tell_entry(int node) {
    if (is_far(node)) tell(node, Counter::entered, this_image(), entered_with(node).load(std::memory_order_relaxed));
}

std::int64_t completed_with(int node) {
    return own_of(this_image(), Own::left)[node].load(std::memory_order_relaxed);
}

void tell_completed(int node, int died, std::int64_t count) {
    send(Office::get(), node, {completed_message, died, count, 0});
}

std::optional<std::int64_t> completed_by(int node, int died) {
    const auto& completed = Office::get().completed;
    const auto found = completed.find({node, died});
    return found == completed.end() ? std::nullopt : std::optional(found->second);
}

void say(const execution::NodeSet& set, std::int64_t number) {
    Office& office = Office::get();
    office.mine->said.store(number, std::memory_order_release);
    for (const int node : set.world_ranks())
        if (is_far(node)) tell(node, Counter::said, this_image(), number);
}

std::int64_t said_by(int node) {
    Mailbox* const box = Office::get().boxes[index_of(node)];
    return box == nullptr ? told(Counter::said, node) : box->said.load(std::memory_order_acquire);
}

int process_of(int node) {
    const Office& office = Office::get();
    const Mailbox* const box = office.boxes[index_of(node)];
    const int process = box == nullptr ? 0 : box->process.load(std::memory_order_acquire);
    return process != 0 && box->process_space == office.mine->process_space ? process : 0;
}

std::atomic<int>* accumulate_lock(int node, int number) {
    Mailbox* const box = Office::get().boxes[index_of(node)];
    return box == nullptr ? nullptr : &box->locks[number].taken;
}

void send_post(int node, int tag) {
    Office& office = Office::get();
    send(office, node, {post_message, 0, tag, is_far(node) ? puts_sent_to(node) : 0});
    // Messages from a far image arrive in order; a near one's memory may tell of its end before its last post has arrived.
    if (!is_far(node)) tell(node, Counter::posted, this_image(), ++office.posts_sent[index_of(node)]);
}

std::optional<int> take_post(const int* node, const int* tag) {
    std::deque<Post>& posts = Office::get().posts;
    const auto found = std::find_if(posts.begin(), posts.end(), [&](const Post& post) {
        return (node == nullptr || *node == post.node) && (tag == nullptr || *tag == post.tag);
    });
    if (found == posts.end()) return std::nullopt;
    const int poster = found->node;
    posts.erase(found);
    return poster;
}

std::int64_t posts_received(int node) {
    return Office::get().posts_received[index_of(node)];
}

bool has_far_images() {
    return Office::get().far;
}

bool is_far(int node) {
    return Office::get().boxes[index_of(node)] == nullptr;
}

std::vector<int> far_images() {
    std::vector<int> nodes;
    for (int node = 0; node < Context::get().world_size(); ++node)
        if (is_far(node)) nodes.push_back(node);
    return nodes;
}

}  // namespace kumihimo::localview
