#include "simulator/run.hpp"

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <queue>

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/rank.hpp"
#include "simulator/transfers.hpp"

namespace kumihimo::simulator {

namespace {

using collectives::Action;

enum class What : std::uint8_t {
    begin,     // the first call
    inject,    // the processor has prepared a send
    finished,  // the processor has finished a step
    arrived,   // a message that is received
    left,      // a message that was sent
};

struct Event {
    Time time;
    int rank;
    Index step;
    What what;
    std::uint64_t number;

    bool operator>(const Event& other) const {
        if (time != other.time) return time > other.time;
        if (rank != other.rank) return rank > other.rank;
        return number > other.number;
    }
};

// What one side of a channel has that the other has not yet: posted receives, messages under way, or sends that wait for their
// receives. Never two of these at the same time, since a channel keeps its order.
struct Early {
    enum class Kind : std::uint8_t { posted, under_way, waiting } kind;
    Index step;
    Time time;  // posted: since when; under_way: when it arrives
};

class Run {
public:
    Run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
        const Question& question)
        : network_(network),
          nodes_(nodes),
          program_(program),
          question_(question),
          transfers_(machine, network),
          overhead_(machine.time("message_overhead")),
          eager_(machine.size("eager_limit")),
          copy_rate_(machine["copy_rate"]),
          copy_overhead_(machine.time("copy_overhead")),
          reduction_rate_(machine["reduction_rate"]),
          reduction_overhead_(machine.time("reduction_overhead")),
          ranks_(static_cast<std::size_t>(program.ranks())) {}

    Answer run() {
        for (int rank = 0; rank < program_.ranks(); ++rank) push(0, rank, none, What::begin);
        for (std::uint64_t count = 0; !events_.empty(); ++count) {
            if (count % 65536 == 0 && question_.interrupted()) throw base::Error("interrupted");
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            handle(event);
        }
        return answer();
    }

private:
    struct Processor {
        Rank rank;
        Queue messages, received, local;  // what it has to do: sends to prepare, messages that came, copies and reductions
        Time busy_for = 0, end = 0;
        bool busy = false;
        int call = 0;
    };

    Processor& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    void push(Time time, int rank, Index step, What what) { events_.push({time, rank, step, what, number_++}); }

    void handle(const Event& event) {
        Processor& processor = at(event.rank);
        const auto ready = [&](Index step) { start(event.rank, step); };
        switch (event.what) {
            case What::begin:
                begin(event.rank);
                break;
            case What::inject:
                processor.busy = false;
                inject(event.rank, event.step);
                break;
            case What::finished:
                processor.busy = false;
                processor.rank.done(event.step, ready);
                break;
            case What::arrived:
                processor.rank.push(processor.received, event.step);
                break;
            case What::left:
                processor.rank.done(event.step, ready);
                break;
        }
        go_on(event.rank);
    }

    void begin(int rank) {
        Processor& processor = at(rank);
        processor.rank.begin(program_.steps(rank, processor.call), program_.look_ahead(rank, processor.call));
        processor.rank.read([&](Index step) { start(rank, step); });
    }

    // A step whose time has come. A receive is posted at once, all else waits for the processor.
    void start(int rank, Index index) {
        Processor& processor = at(rank);
        ++steps_;
        switch (processor.rank.at(index).action) {
            case Action::send:
                processor.rank.push(processor.messages, index);
                break;
            case Action::receive:
                post(rank, index);
                processor.rank.started(index, [&](Index step) { start(rank, step); });
                break;
            case Action::reduce:
            case Action::copy:
                processor.rank.push(processor.local, index);
                break;
        }
    }

    // Messages first: while this rank computes, others can use what it sends.
    void go_on(int rank) {
        Processor& processor = at(rank);
        while (processor.rank.complete() && !processor.busy) {
            processor.end = now_;
            if (++processor.call == question_.calls) return;
            begin(rank);
        }
        if (processor.busy) return;
        if (!processor.messages.empty()) {
            const Index index = processor.rank.pop(processor.messages);
            occupy(rank, index, overhead_, What::inject);
        } else if (!processor.received.empty()) {
            const Index index = processor.rank.pop(processor.received);
            occupy(rank, index, overhead_, What::finished);
        } else if (!processor.local.empty()) {
            const Index index = processor.rank.pop(processor.local);
            const Live& step = processor.rank.at(index);
            const bool reduces = step.action == Action::reduce;
            occupy(rank, index,
                   (reduces ? reduction_overhead_ : copy_overhead_) +
                       Transfers::duration(step.bytes, reduces ? reduction_rate_ : copy_rate_),
                   What::finished);
        }
    }
    void occupy(int rank, Index index, Time duration, What then) {
        Processor& processor = at(rank);
        processor.busy = true;
        processor.busy_for += duration;
        push(now_ + duration, rank, index, then);
    }

    // ---- Both sides of a message ----

    std::uint64_t channel(int from, int to, int number) const {
        return (static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(program_.ranks()) +
                static_cast<std::uint64_t>(to)) *
                   collectives::channels +
               static_cast<std::uint64_t>(number);
    }

    void inject(int rank, Index index) {
        Processor& processor = at(rank);
        const Live step = processor.rank.at(index);
        const std::uint64_t key = channel(rank, step.peer, step.channel);
        const auto early = early_.find(key);
        const bool posted = early != early_.end() && early->second.front().kind == Early::Kind::posted;
        if (posted) {
            const Early receive = take(early);
            // Its own readiness for a long message has to come here first.
            const Time begin =
                step.bytes <= eager_ ? now_ : std::max(now_, receive.time + transfers_.delay(node(step.peer), node(rank)));
            push(transfer(rank, index, step, begin), step.peer, receive.step, What::arrived);
        } else if (step.bytes <= eager_) {
            early_[key].push_back({Early::Kind::under_way, none, transfer(rank, index, step, now_)});
        } else {
            early_[key].push_back({Early::Kind::waiting, index, now_});
        }
        processor.rank.started(index, [&](Index next) { start(rank, next); });
    }

    void post(int rank, Index index) {
        const Live step = at(rank).rank.at(index);
        const std::uint64_t key = channel(step.peer, rank, step.channel);
        const auto early = early_.find(key);
        if (early == early_.end() || early->second.front().kind == Early::Kind::posted) {
            early_[key].push_back({Early::Kind::posted, index, now_});
            return;
        }
        const Early message = take(early);
        if (message.kind == Early::Kind::waiting) {
            const Live sent = at(step.peer).rank.at(message.step);
            const Time begin = now_ + transfers_.delay(node(rank), node(step.peer));
            push(transfer(step.peer, message.step, sent, begin), rank, index, What::arrived);
        } else {
            // What came before its receive lies in a buffer, and is copied out of it.
            const Time copy = message.time <= now_ ? copy_overhead_ + Transfers::duration(step.bytes, copy_rate_) : 0;
            push(std::max(message.time, now_) + copy, rank, index, What::arrived);
        }
    }

    // When it arrives; the sender hears when it has left.
    Time transfer(int rank, Index index, const Live& step, Time begin) {
        ++messages_;
        const Transfers::Times times = transfers_.send(node(rank), node(step.peer), step.bytes, begin);
        push(times.left, rank, index, What::left);
        return times.arrived;
    }

    using Channels = absl::flat_hash_map<std::uint64_t, std::deque<Early>>;
    Early take(Channels::iterator place) {
        const Early first = place->second.front();
        place->second.pop_front();
        if (place->second.empty()) early_.erase(place);
        return first;
    }

    // ---- The end ----

    Answer answer() {
        int stuck = 0, example = -1;
        Time last = 0, first = INT64_MAX;
        for (int rank = 0; rank < program_.ranks(); ++rank) {
            if (at(rank).call < question_.calls) {
                ++stuck;
                example = rank;
            }
            last = std::max(last, at(rank).end);
            first = std::min(first, at(rank).end);
        }
        if (stuck > 0) {
            const Live& step = at(example).rank.at(at(example).rank.low());
            throw base::Error(fmt::format("the schedule got stuck: {} wait; rank {}, step {}, waits for rank {}",
                                          base::counted(stuck, "rank"), example, at(example).rank.low(), step.peer));
        }
        Answer found;
        const Time calls = static_cast<Time>(question_.calls) * program_.rounds();
        found.time = last / calls;
        found.fastest = first / calls;
        found.messages = messages_;
        found.steps = steps_;
        found.link_bytes = transfers_.link_bytes();
        const auto& links = transfers_.busy_links();
        for (std::size_t i = 0; i < links.size(); ++i)
            most(found.bounds.link, found.bounds.busiest_link, links[i] / calls, static_cast<int>(i));
        for (int i = 0; i < network_.nodes(); ++i)
            most(found.bounds.node, found.bounds.busiest_node, transfers_.busy_node(i) / calls, i);
        for (int i = 0; i < program_.ranks(); ++i)
            most(found.bounds.processor, found.bounds.busiest_processor, at(i).busy_for / calls, i);
        return found;
    }
    static void most(Time& value, int& place, Time other, int where) {
        if (other > value) value = other, place = where;
    }

    const Network& network_;
    const std::vector<int>& nodes_;
    const Program& program_;
    const Question& question_;
    Transfers transfers_;
    Time overhead_;
    Bytes eager_;
    double copy_rate_;
    Time copy_overhead_;
    double reduction_rate_;
    Time reduction_overhead_;
    std::vector<Processor> ranks_;
    Channels early_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    Time now_ = 0;
    std::uint64_t number_ = 0;
    std::int64_t messages_ = 0, steps_ = 0;
};

}  // namespace

Answer run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
           const Question& question) {
    return Run(machine, network, nodes, program, question).run();
}

}  // namespace kumihimo::simulator
