#include "simulator/run.hpp"

#include <absl/container/flat_hash_map.h>

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/events.hpp"
#include "simulator/flows.hpp"
#include "simulator/rank.hpp"
#include "simulator/reservation.hpp"
#include "simulator/unlimited.hpp"

namespace kumihimo::simulator {

namespace {

using collectives::Action;

enum class What : std::uint8_t {
    begin,     // the first call
    inject,    // the processor has prepared a send
    finished,  // the processor has finished a step
    arrived,   // a message that is received
    left,      // a message that was sent
    rested,    // the processor has done what a send leaves it to do
};
constexpr int what_bits = 3;

// A message that nobody has asked for yet is under way in one of these.
struct Flight {
    int to = -1;
    Index received = none;  // the receive that came while it was under way
    Time arrives = unknown;
    std::int32_t next = none;  // of its channel; free ones: the next of these
    std::uint32_t cause = 0;   // the event that sent it

    static constexpr Time unknown = -1;
};

// What one side of a channel has that the other has not yet: posted receives, sends that wait for their receives, or messages
// under way. Never two of these at the same time, since a channel keeps its order. They are linked: steps through Live::next.
struct Channel {
    enum class Kind : std::uint8_t { posted, waiting, under_way } kind;
    std::int32_t first = none, last = none;
};

// Sharing: how messages that are under way at the same time share the network (transfers.hpp, flows.hpp).
template <typename Sharing>
class Run {
public:
    Run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
        const Question& question)
        : machine_(machine),
          network_(network),
          nodes_(nodes),
          program_(program),
          question_(question),
          sharing_(machine, network, question.slices),
          trace_(question.path, program.ranks()),
          overhead_(machine.time("message_overhead")),
          eager_(machine.size("eager_limit")),
          copy_rate_(machine["copy_rate"]),
          copy_overhead_(machine.time("copy_overhead")),
          reduction_rate_(machine["reduction_rate"]),
          reduction_overhead_(machine.time("reduction_overhead")),
          ranks_(static_cast<std::size_t>(program.ranks())) {}

    Answer run() {
        for (int rank = 0; rank < program_.ranks(); ++rank) push(0, rank, none, What::begin);
        const auto landed = [this](std::int32_t flight, const Delivery& delivery) { land(flight, delivery); };
        for (std::uint64_t count = 0; true; ++count) {
            if (count % 65536 == 0 && question_.interrupted()) throw base::Error("interrupted");
            if (const Time next = sharing_.next(); next != Sharing::never && (events_.empty() || next <= events_.next()))
                sharing_.advance(next, landed);
            else if (events_.empty())
                break;
            else
                handle(events_.pop());
        }
        return answer();
    }

private:
    struct alignas(64) Processor {
        Rank rank;
        Queue messages, received, local;  // what it has to do: sends to prepare, messages that came, copies and reductions
        int call = 0;
        bool busy = false;
        Time busy_for = 0, end = 0;
    };

    Processor& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    void push(Time time, int rank, Index step, What what) {
        trace_.push([&] { return told(time, rank, step, what); });
        events_.push({time, rank, step, number_++ << what_bits | static_cast<std::uint64_t>(what)});
    }

    // Ranks and steps of the events that come soon are fetched from memory meanwhile.
    void prefetch() {
        if (const Event* const far = events_.ahead(12)) __builtin_prefetch(&at(far->rank));
        if (const Event* const near = events_.ahead(6); near != nullptr && near->step != none)
            at(near->rank).rank.prefetch(near->step);
    }

    void handle(const Event& event) {
        prefetch();
        now_ = event.time;
        trace_.now(event.number >> what_bits);
        Processor& processor = at(event.rank);
        const auto ready = [&](Index step) { start(event.rank, step); };
        switch (static_cast<What>(event.number & ((1 << what_bits) - 1))) {
            case What::begin:
                begin(event.rank);
                break;
            case What::inject:
                processor.busy = false;
                rest(event.rank, event.step);
                inject(event.rank, event.step);
                break;
            case What::finished:
                processor.busy = false;
                processor.rank.done(event.step, scratch_, ready);
                break;
            case What::arrived:
                processor.rank.push(processor.received, event.step);
                break;
            case What::rested:
                processor.busy = false;
                break;
            case What::left:
                processor.rank.done(event.step, scratch_, ready);
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
                processor.rank.started(index, scratch_, [&](Index step) { start(rank, step); });
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
            trace_.finished(rank);
            if (++processor.call == question_.calls) return;
            begin(rank);
        }
        while (!processor.busy && work(rank)) {
        }
    }
    // Whether there was something.
    bool work(int rank) {
        Processor& processor = at(rank);
        if (!processor.messages.empty()) {
            const Index index = processor.rank.pop(processor.messages);
            occupy(rank, index, overhead(rank, index), What::inject);
        } else if (!processor.received.empty()) {
            const Index index = processor.rank.pop(processor.received);
            occupy(rank, index, overhead(rank, index), What::finished);
        } else if (!processor.local.empty()) {
            const Index index = processor.rank.pop(processor.local);
            const Live& step = processor.rank.at(index);
            const bool reduces = step.action == Action::reduce;
            occupy(rank, index,
                   (reduces ? reduction_overhead_ : copy_overhead_) +
                       duration(static_cast<Bytes>(step.bytes), reduces ? reduction_rate_ : copy_rate_),
                   What::finished);
        } else {
            return false;
        }
        return true;
    }
    Time overhead(int rank, Index index) {
        if (machine_.messages.empty()) return overhead_;
        return overhead_ + static_cast<Time>(machine_.message(static_cast<Bytes>(at(rank).rank.at(index).bytes)).overhead);
    }
    void rest(int rank, Index index) {
        if (machine_.messages.empty() || !Sharing::limited) return;
        const double busy = machine_.message(static_cast<Bytes>(at(rank).rank.at(index).bytes)).busy;
        if (busy > 0) occupy(rank, none, static_cast<Time>(busy), What::rested);
    }
    void occupy(int rank, Index index, Time duration, What then) {
        Processor& processor = at(rank);
        processor.busy = Sharing::limited;
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
        const bool eager = static_cast<Bytes>(step.bytes) <= eager_;
        const auto [place, is_new] = channels_.try_emplace(channel(rank, step.peer, step.channel));
        if (!is_new && place->second.kind == Channel::Kind::posted) {
            const Index receive = place->second.first;
            Rank& receiver = at(step.peer).rank;
            drop(place, receiver.at(receive).next);
            // Its own readiness for a long message has to come here first.
            const Time ready = eager ? now_ : receiver.at(receive).posted() + sharing_.delay(node(step.peer), node(rank));
            transfer(rank, index, step, std::max(now_, ready), flight_to(step.peer, receive));
        } else if (eager) {
            const std::int32_t flight = flight_to(step.peer, none);
            add(place->second, Channel::Kind::under_way, flight,
                [&](std::int32_t last) { flights_[static_cast<std::size_t>(last)].next = flight; });
            transfer(rank, index, step, now_, flight);
        } else {
            processor.rank.at(index).next = none;
            add(place->second, Channel::Kind::waiting, index, [&](Index last) { processor.rank.at(last).next = index; });
        }
        processor.rank.started(index, scratch_, [&](Index next) { start(rank, next); });
    }

    void post(int rank, Index index) {
        Rank& receiver = at(rank).rank;
        const Live step = receiver.at(index);
        const auto [place, is_new] = channels_.try_emplace(channel(step.peer, rank, step.channel));
        if (is_new || place->second.kind == Channel::Kind::posted) {
            receiver.at(index).next = none;
            receiver.at(index).post(now_);
            add(place->second, Channel::Kind::posted, index, [&](Index last) { receiver.at(last).next = index; });
            return;
        }
        const std::int32_t first = place->second.first;
        if (place->second.kind == Channel::Kind::waiting) {
            const Live sent = at(step.peer).rank.at(first);
            drop(place, sent.next);
            transfer(step.peer, first, sent, now_ + sharing_.delay(node(rank), node(step.peer)), flight_to(rank, index));
            return;
        }
        Flight& flight = flights_[static_cast<std::size_t>(first)];
        drop(place, flight.next);
        if (flight.arrives == Flight::unknown) {
            flight.received = index;
            return;
        }
        // What came before its receive lies in a buffer, and is copied out of it.
        const bool copies = Sharing::limited && flight.arrives <= now_;
        const Time copy = copies ? copy_overhead_ + duration(static_cast<Bytes>(step.bytes), copy_rate_) : 0;
        const std::uint32_t here = trace_.current();
        if (flight.arrives > now_) trace_.now(flight.cause);
        push(std::max(flight.arrives, now_) + copy, rank, index, What::arrived);
        trace_.now(here);
        release(first);
    }

    void transfer(int rank, Index index, const Live& step, Time begin, std::int32_t flight) {
        ++messages_;
        flights_[static_cast<std::size_t>(flight)].cause = trace_.current();
        sharing_.send({flight, rank, index, node(rank), node(step.peer), static_cast<Bytes>(step.bytes)}, begin,
                      [this](std::int32_t one, const Delivery& delivery) { land(one, delivery); });
    }
    // It is known when a message leaves and arrives; the sender hears when it has left.
    void land(std::int32_t number, const Delivery& delivery) {
        Flight& flight = flights_[static_cast<std::size_t>(number)];
        trace_.now(flight.cause);
        push(delivery.left, delivery.rank, delivery.step, What::left);
        if (flight.received == none) {
            flight.arrives = delivery.arrived;
        } else {
            push(delivery.arrived, flight.to, flight.received, What::arrived);
            release(number);
        }
    }

    using Channels = absl::flat_hash_map<std::uint64_t, Channel>;
    template <typename Link>
    static void add(Channel& channel, Channel::Kind kind, std::int32_t one, Link&& link) {
        channel.kind = kind;
        if (channel.first == none)
            channel.first = one;
        else
            link(channel.last);
        channel.last = one;
    }
    void drop(Channels::iterator place, std::int32_t next) {
        if (next == none)
            channels_.erase(place);
        else
            place->second.first = next;
    }
    std::int32_t flight_to(int rank, Index received) {
        if (free_ == none) {
            flights_.push_back({rank, received});
            return static_cast<std::int32_t>(flights_.size()) - 1;
        }
        const std::int32_t number = free_;
        free_ = std::exchange(flights_[static_cast<std::size_t>(number)], {rank, received}).next;
        return number;
    }
    void release(std::int32_t number) { flights_[static_cast<std::size_t>(number)].next = std::exchange(free_, number); }

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
        const auto ended = [](const Processor& one, const Processor& other) { return one.end < other.end; };
        found.slowest = static_cast<int>(std::max_element(ranks_.begin(), ranks_.end(), ended) - ranks_.begin());
        found.path = trace_.path(found.slowest);
        add_waits(found.path);
        found.timeline = sharing_.timeline();
        found.messages = messages_;
        found.steps = steps_;
        for (int i = 0; i < network_.links(); ++i) {
            found.link_bytes.push_back(sharing_.link_bytes(i));
            most(found.bounds.link, found.bounds.busiest_link, sharing_.busy_link(i) / calls, i);
        }
        for (int i = 0; i < network_.nodes(); ++i)
            most(found.bounds.node, found.bounds.busiest_node, sharing_.busy_node(i) / calls, i);
        for (int i = 0; i < program_.ranks(); ++i)
            most(found.bounds.processor, found.bounds.busiest_processor, at(i).busy_for / calls, i);
        return found;
    }
    PathStep told(Time time, int rank, Index index, What what) {
        using Kind = PathStep::Kind;
        PathStep step{Kind::works, rank, -1, 0, time, time};
        if (index == none) return step;
        const Live& live = at(rank).rank.at(index);
        step.peer = live.peer;
        step.bytes = static_cast<Bytes>(live.bytes);
        if (what == What::inject) step.kind = Kind::prepares;
        if (what == What::arrived) step.kind = Kind::message;
        if (what == What::left) step.kind = Kind::leaves;
        if (what == What::finished)
            step.kind = live.action == Action::receive  ? Kind::takes
                        : live.action == Action::reduce ? Kind::reduces
                                                        : Kind::copies;
        return step;
    }
    void add_waits(std::vector<PathStep>& path) {
        for (PathStep& step : path)
            if (step.kind == PathStep::Kind::message)
                step.waits = std::max<Time>(
                    0, step.end - step.begin -
                           sharing_.alone({0, step.peer, 0, node(step.peer), node(step.rank), step.bytes}).second);
    }
    static void most(Time& value, int& place, Time other, int where) {
        if (other > value) value = other, place = where;
    }

    const Machine& machine_;
    const Network& network_;
    const std::vector<int>& nodes_;
    const Program& program_;
    const Question& question_;
    Sharing sharing_;
    Trace trace_;
    Time overhead_;
    Bytes eager_;
    double copy_rate_;
    Time copy_overhead_;
    double reduction_rate_;
    Time reduction_overhead_;
    std::vector<Processor> ranks_;
    Channels channels_;
    std::vector<Flight> flights_;
    std::int32_t free_ = none;
    std::vector<Index> scratch_;
    Events events_;
    Time now_ = 0;
    std::uint64_t number_ = 0;
    std::int64_t messages_ = 0, steps_ = 0;
};

}  // namespace

Answer run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
           const Question& question) {
    if (question.sharing == "flows") return Run<Flows>(machine, network, nodes, program, question).run();
    if (question.sharing == "unlimited") return Run<Unlimited>(machine, network, nodes, program, question).run();
    if (question.sharing != "reservation")
        throw base::Error("there is no way of sharing '" + question.sharing + "'", "there are: reservation, flows");
    return Run<Reservation>(machine, network, nodes, program, question).run();
}

}  // namespace kumihimo::simulator
