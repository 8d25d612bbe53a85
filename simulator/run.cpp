#include "simulator/run.hpp"

#include "base/error.hpp"
#include "base/format.hpp"
#include "simulator/channels.hpp"
#include "simulator/events.hpp"
#include "simulator/flows.hpp"
#include "simulator/rank.hpp"
#include "simulator/reservation.hpp"
#include "simulator/shortening.hpp"

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
constexpr int what_bits = 3;
constexpr std::size_t one_line = 64;  // of memory

// Sharing: how messages that are under way at the same time share the network (reservation.hpp, flows.hpp).
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
          send_overhead_(machine.time("send_overhead")),
          receive_overhead_(machine.time("receive_overhead")),
          eager_(machine.size("eager_limit")),
          copy_rate_(machine["copy_rate"]),
          copy_overhead_(machine.time("copy_overhead")),
          reduction_rate_(machine["reduction_rate"]),
          reduction_overhead_(machine.time("reduction_overhead")),
          arrivals_(question.skew, question.seed, program.ranks()),
          interruptions_(question.noise, question.seed, program.ranks()),
          ranks_(static_cast<std::size_t>(program.ranks())),
          channels_(program.ranks()) {
        if (question.calls == 1 && question.shorten != Shorten::never && !question.path && !question.pairs &&
            question.slices == 0 && !question.skew.any() && !question.noise.any())
            shorten();
    }

    // None where too little was simulated: then all has to be.
    std::optional<Answer> run() {
        for (int rank = 0; rank < program_.ranks(); ++rank) {
            at(rank).in_barrier = question_.start == Start::barrier;
            arrive(rank);
        }
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
    // What most events need lies in its first line of memory.
    struct alignas(64) Processor {
        Queue messages, received, local;  // what it has to do: sends to prepare, messages that came, copies and reductions
        int call = 0;
        bool busy = false, in_barrier = false;  // the one before the call
        Time busy_for = 0;
        Rank rank;
        Time began = 0, took = 0;  // took: of all calls
        Rounds round;
    };

    Processor& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    void push(Time time, int rank, Index step, What what) {
        trace_.push([&] { return told(time, rank, step, what); });
        events_.push({time, rank, step, number_++ << what_bits | static_cast<std::uint64_t>(what)});
    }

    // What the events that come soon will touch is fetched from memory meanwhile: first the rank, then its step, then what the
    // step points to. Most of a large run's time would go by waiting for these. Nothing is fetched that an event does not
    // touch: memory is as busy as the processor.
    void prefetch() {
        if (const Event* const far = events_.ahead(32)) fetch(&at(far->rank), ends_a_step(*far) ? sizeof(Processor) : one_line);
        if (const Event* const near = events_.ahead(20); near != nullptr && near->step != none)
            at(near->rank).rank.prefetch(near->step, ends_a_step(*near));
        if (const Event* const soon = events_.ahead(5)) prefetch_other_side(*soon);
        const Event* const next = events_.ahead(12);
        if (next == nullptr || next->step == none || what(*next) == What::arrived) return;
        const Live& step = at(next->rank).rank.prefetch_behind(next->step, ends_a_step(*next));
        if (what(*next) != What::inject) return;
        channels_.prefetch(next->rank, step.peer, description(step).channel);
        fetch(&at(step.peer), one_line);
        sharing_.prefetch(node(next->rank), node(step.peer));
    }
    // The receive that waits for a message, and its way.
    void prefetch_other_side(const Event& event) {
        if (what(event) != What::inject) return;
        const Live& step = at(event.rank).rank.at(event.step);
        const Channel* const channel = channels_.find(event.rank, step.peer, description(step).channel);
        if (channel != nullptr && channel->kind == Channel::Kind::posted) at(step.peer).rank.prefetch(channel->first, false);
        sharing_.prefetch_way(node(event.rank), node(step.peer));
    }
    static bool ends_a_step(const Event& event) {
        return what(event) == What::finished || what(event) == What::left || what(event) == What::begin;
    }
    const Description& description(const Live& step) const { return common_.descriptions[step.description]; }
    static What what(const Event& event) { return static_cast<What>(event.number & ((1 << what_bits) - 1)); }

    void handle(const Event& event) {
        prefetch();
        now_ = event.time;
        trace_.now(event.number >> what_bits);
        Processor& processor = at(event.rank);
        const auto ready = [&](Index step) { start(event.rank, step); };
        switch (what(event)) {
            case What::begin:
                begin(event.rank);
                break;
            case What::inject:
                processor.busy = false;
                inject(event.rank, event.step);
                break;
            case What::finished:
                processor.busy = false;
                processor.rank.done(event.step, common_, ready);
                break;
            case What::arrived:
                processor.rank.push(processor.received, event.step);
                break;
            case What::left:
                processor.rank.done(event.step, common_, ready);
                break;
        }
        go_on(event.rank);
    }

    // ---- Calls ----

    // A rank begins its call, or the barrier before it, when it has arrived. The call's time counts from now on.
    void arrive(int rank) {
        at(rank).began = now_;
        if (question_.start == Start::window) at(rank).rank.restart_chain();
        const bool late = !at(rank).in_barrier && (question_.start != Start::loop || at(rank).call == 0);
        push(now_ + (late ? arrivals_.late(rank) : 0), rank, none, What::begin);
    }
    void begin(int rank) {
        Processor& processor = at(rank);
        if (processor.in_barrier)
            processor.rank.begin(program_.barrier(rank), collectives::least_window);
        else
            processor.rank.begin(program_.steps(rank, processor.call), program_.look_ahead(rank, processor.call));
        processor.rank.read(common_, [&](Index step) { start(rank, step); });
    }
    // A rank has done what it began. Whether it goes on at once.
    bool next_call(int rank) {
        Processor& processor = at(rank);
        if (processor.in_barrier) {
            processor.in_barrier = false;
            if (question_.skew.any()) return arrive(rank), false;
            processor.began = now_;
            return begin(rank), true;
        }
        const Time took = now_ - processor.began;
        processor.took += took;
        if (processor.rank.chain() > chain_) chain_ = processor.rank.chain(), end_of_chain_ = rank;
        trace_.finished(rank);
        const bool last = ++processor.call == question_.calls;
        if (question_.start == Start::window) return end_of_window(took, last), false;
        if (last) return false;
        processor.in_barrier = question_.start == Start::barrier;
        processor.began = now_;
        return begin(rank), true;
    }
    void end_of_window(Time took, bool last) {
        longest_ = std::max(longest_, took);
        if (++done_ < program_.ranks()) return;
        windows_took_ += std::exchange(longest_, 0);
        windows_chains_ += std::exchange(chain_, 0);
        done_ = 0;
        for (int rank = 0; !last && rank < program_.ranks(); ++rank) arrive(rank);
    }

    // ---- What need not be simulated ----

    void shorten() {
        shortening_.emplace(program_, question_.shorten == Shorten::always, question_.sampled);
        if (!shortening_->any()) return shortening_.reset();
        for (int rank = 0; rank < program_.ranks(); ++rank)
            at(rank).round = shortening_->begin(program_.course(rank), at(rank).rank);
    }
    // Adds what was left out to times and to what was counted. Whether it is known.
    bool lengthen(Answer& answer) {
        if (!shortening_) return true;
        const std::optional<Windows>& windows = shortening_->windows();
        const Windows::LeftOut rest = windows ? windows->takes() : Windows::LeftOut();
        answer.interval = rest.interval;
        if (windows) sharing_.count_each_to_each(nodes_, program_.block_bytes());
        if (shortening_->left_out() == 0) return true;
        answer.simulated = shortening_->simulated();
        if (windows)
            for (Processor& processor : ranks_) {
                processor.took += rest.takes;
                processor.busy_for += shortening_->exchanges() * both_overheads(program_.block_bytes());
            }
        else if (!lengthen_pieces(answer))
            return false;
        answer.messages = whole(answer.messages, answer);
        answer.steps = whole(answer.steps, answer);
        return true;
    }
    bool lengthen_pieces(Answer& answer) {
        std::vector<Time> took;
        for (const Processor& processor : ranks_) took.push_back(processor.took);
        const std::optional<Paces::Takes> takes = shortening_->pieces_take(took);
        if (!takes) return false;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            ranks_[rank].took += static_cast<Time>(shortening_->left_out() * takes->of_ranks[rank]);
            ranks_[rank].busy_for = whole(ranks_[rank].busy_for, answer);
        }
        answer.interval = static_cast<Time>(shortening_->left_out() * takes->off);
        sharing_.multiply(1 / answer.simulated);
        return true;
    }
    static std::int64_t whole(std::int64_t part, const Answer& answer) {
        return static_cast<std::int64_t>(static_cast<double>(part) / answer.simulated);
    }

    // ---- Steps ----

    // A step whose time has come. A receive is posted at once, all else waits for the processor.
    void start(int rank, Index index) {
        Processor& processor = at(rank);
        ++steps_;
        switch (description(processor.rank.at(index)).action) {
            case Action::send:
                processor.rank.push(processor.messages, index);
                break;
            case Action::receive:
                processor.rank.at(index).start();
                post(rank, index);
                processor.rank.started(index, common_, [&](Index step) { start(rank, step); });
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
        if (shortening_ && shortening_->count(rank, processor.rank, processor.round, now_)) shortening_->cut(ranks_);
        while (processor.rank.complete() && !processor.busy)
            if (!next_call(rank)) return;
        while (!processor.busy && work(rank)) {
        }
    }
    // Whether there was something.
    bool work(int rank) {
        Processor& processor = at(rank);
        if (!processor.messages.empty()) {
            const Index index = processor.rank.pop(processor.messages);
            const Description& send = description(processor.rank.at(index));
            occupy(rank, index, send_overhead(send.bytes, send.fresh), What::inject);
        } else if (!processor.received.empty()) {
            const Index index = processor.rank.pop(processor.received);
            occupy(rank, index, receive_overhead(bytes(rank, index), processor.rank.at(index).fresh), What::finished);
        } else if (!processor.local.empty()) {
            const Index index = processor.rank.pop(processor.local);
            const Description& step = description(processor.rank.at(index));
            const bool reduces = step.action == Action::reduce;
            occupy(
                rank, index,
                (reduces ? reduction_overhead_ : copy_overhead_) + duration(step.bytes, reduces ? reduction_rate_ : copy_rate_),
                What::finished);
        } else {
            return false;
        }
        return true;
    }
    Bytes bytes(int rank, Index index) { return description(at(rank).rank.at(index)).bytes; }
    // fresh: the sender has just computed or received the bytes.
    Time send_overhead(Bytes bytes, bool fresh) const {
        if (machine_.messages.empty()) return send_overhead_;
        const OfSize one = machine_.message(bytes);
        return send_overhead_ + static_cast<Time>(one.send + (fresh ? one.rewrite : 0));
    }
    Time receive_overhead(Bytes bytes, bool fresh) const {
        if (machine_.messages.empty()) return receive_overhead_;
        const OfSize one = machine_.message(bytes);
        return receive_overhead_ + static_cast<Time>(one.receive + (fresh ? one.fresh : 0));
    }
    Time both_overheads(Bytes bytes) const { return send_overhead(bytes, false) + receive_overhead(bytes, false); }
    void occupy(int rank, Index index, Time duration, What then) {
        Processor& processor = at(rank);
        processor.busy = true;
        if (!processor.in_barrier) processor.busy_for += duration;
        processor.rank.at(index).chain += duration;
        push(interruptions_.end(rank, now_, duration), rank, index, then);
    }

    // ---- Both sides of a message ----

    void inject(int rank, Index index) {
        Processor& processor = at(rank);
        processor.rank.at(index).start();
        const Live step = processor.rank.at(index);
        const bool eager = description(step).bytes <= eager_;
        const auto [place, is_new] = channels_.at(rank, step.peer, description(step).channel);
        if (!is_new && place->second.kind == Channel::Kind::posted) {
            const Index receive = place->second.first;
            Live& receiver = at(step.peer).rank.at(receive);
            const Time posted = receiver.posted(), chain = receiver.chain;
            receiver.match();
            channels_.drop(place, receiver.next);
            // Its own readiness for a long message has to come here first.
            const Time delay = eager ? 0 : sharing_.delay(node(step.peer), node(rank));
            const Time ready = eager ? now_ : posted + delay, chain_ready = eager ? 0 : chain + delay;
            transfer(rank, index, step, std::max(now_, ready), std::max(step.chain, chain_ready),
                     flights_.take(step.peer, receive));
        } else if (eager && (is_new || place->second.kind == Channel::Kind::under_way)) {
            const std::int32_t flight = flights_.take(step.peer, none);
            place->second.add(Channel::Kind::under_way, flight, [&](std::int32_t last) { flights_[last].next = flight; });
            transfer(rank, index, step, now_, step.chain, flight);
        } else {
            // Also a short one, behind a long one that waits: a channel keeps its order.
            processor.rank.at(index).next = none;
            place->second.add(Channel::Kind::waiting, index, [&](Index last) { processor.rank.at(last).next = index; });
        }
        processor.rank.started(index, common_, [&](Index next) { start(rank, next); });
    }

    void post(int rank, Index index) {
        Rank& receiver = at(rank).rank;
        const Live step = receiver.at(index);
        const auto [place, is_new] = channels_.at(step.peer, rank, description(step).channel);
        if (is_new || place->second.kind == Channel::Kind::posted) {
            receiver.at(index).next = none;
            receiver.at(index).post(now_);
            place->second.add(Channel::Kind::posted, index, [&](Index last) { receiver.at(last).next = index; });
            return;
        }
        const std::int32_t first = place->second.first;
        if (place->second.kind == Channel::Kind::waiting) {
            const Live sent = at(step.peer).rank.at(first);
            channels_.drop(place, sent.next);
            const Time delay = sharing_.delay(node(rank), node(step.peer));
            transfer(step.peer, first, sent, now_ + delay, std::max(sent.chain, step.chain + delay),
                     flights_.take(rank, index));
            return;
        }
        Flight& flight = flights_[first];
        channels_.drop(place, flight.next);
        receiver.at(index).chain = std::max(step.chain, flight.chain);
        receiver.at(index).fresh = flight.fresh;
        if (flight.arrives == Flight::unknown) {
            flight.received = index;
            return;
        }
        // What came before its receive lies in a buffer, and is copied out of it.
        const bool copies = flight.arrives <= now_;
        const Time copy = copies ? copy_overhead_ + duration(description(step).bytes, copy_rate_) : 0;
        const std::uint32_t here = trace_.current();
        if (flight.arrives > now_) trace_.now(flight.cause);
        push(std::max(flight.arrives, now_) + copy, rank, index, What::arrived);
        trace_.now(here);
        flights_.release(first);
    }

    // chain: to the begin of the message, as the receiver's readiness allows it.
    void transfer(int rank, Index index, const Live& step, Time begin, Time chain, std::int32_t number) {
        const bool counted = !at(rank).in_barrier;
        messages_ += counted;
        Flight& flight = flights_[number];
        flight.cause = trace_.current();
        const Description& what = description(step);
        Time* arrived = &flight.chain;
        flight.fresh = what.fresh;
        if (flight.received != none) {
            Live& receive = at(step.peer).rank.at(flight.received);
            arrived = &receive.chain;
            receive.fresh = flight.fresh;
        }
        if (question_.pairs && counted) under_way(rank, step.peer).under_way -= begin;
        const Passage alone =
            sharing_.send({number, rank, index, node(rank), node(step.peer), what.bytes, counted, what.channel}, begin,
                          [this](std::int32_t one, const Delivery& delivery) { land(one, delivery); });
        if (question_.pairs && counted) {
            Pair& pair = under_way(rank, step.peer);
            ++pair.messages, pair.bytes += what.bytes, pair.alone += alone.arrived;
        }
        *arrived = std::max(*arrived, chain + alone.arrived);
        at(rank).rank.at(index).chain = chain + alone.left;
    }
    Pair& under_way(int from, int to) { return pairs_[{from, to}]; }
    // It is known when a message leaves and arrives; the sender hears when it has left. Until then it is in its barrier, too,
    // if the message is the barrier's.
    void land(std::int32_t number, const Delivery& delivery) {
        Flight& flight = flights_[number];
        if (question_.pairs && !at(delivery.rank).in_barrier) under_way(delivery.rank, flight.to).under_way += delivery.arrived;
        trace_.now(flight.cause);
        push(delivery.left, delivery.rank, delivery.step, What::left);
        if (flight.received == none) {
            flight.arrives = delivery.arrived;
        } else {
            push(delivery.arrived, flight.to, flight.received, What::arrived);
            flights_.release(number);
        }
    }

    // ---- The end ----

    // The first step of a rank that is not complete waits for nothing but its message: all before it are.
    void check_complete() {
        std::vector<int> stuck;
        for (int rank = 0; rank < program_.ranks(); ++rank)
            if (at(rank).call < question_.calls) stuck.push_back(rank);
        if (stuck.empty()) return;
        Rank& example = at(stuck.front()).rank;
        throw base::Error(fmt::format("the schedule got stuck: {} wait{}; rank {}, step {}, waits for rank {}",
                                      base::counted(static_cast<std::int64_t>(stuck.size()), "rank"),
                                      stuck.size() == 1 ? "s" : "", stuck.front(), example.low(),
                                      example.at(example.low()).peer));
    }
    std::optional<Answer> answer() {
        check_complete();
        Answer found;
        const Time calls = static_cast<Time>(question_.calls) * program_.rounds();
        const auto less = [](const Processor& one, const Processor& other) { return one.took < other.took; };
        found.slowest = static_cast<int>(std::max_element(ranks_.begin(), ranks_.end(), less) - ranks_.begin());
        found.path = trace_.path(found.slowest);
        add_waits(found.path);
        found.timeline = sharing_.timeline();
        found.messages = messages_;
        found.steps = steps_;
        if (!lengthen(found)) return std::nullopt;
        Time last = 0, first = INT64_MAX;
        for (int rank = 0; rank < program_.ranks(); ++rank) {
            last = std::max(last, at(rank).took);
            first = std::min(first, at(rank).took);
        }
        found.time = (question_.start == Start::window && calls > program_.rounds() ? windows_took_ : last) / calls;
        found.fastest = first / calls;
        found.pairs = {pairs_.begin(), pairs_.end()};
        for (int i = 0; i < network_.links(); ++i) {
            found.link_bytes.push_back(sharing_.link_bytes(i));
            found.link_busy.push_back(sharing_.busy_link(i));
            most(found.bounds.link, found.bounds.busiest_link, sharing_.busy_link(i) / calls, i);
        }
        for (int i = 0; i < network_.nodes(); ++i)
            most(found.bounds.node, found.bounds.busiest_node, sharing_.busy_node(i) / calls, i);
        for (int i = 0; i < program_.ranks(); ++i)
            most(found.bounds.processor, found.bounds.busiest_processor, at(i).busy_for / calls, i);
        // What was left out may be told a little too short; loads are known exactly.
        if (shortening_) found.time = std::max({found.time, found.bounds.link, found.bounds.node, found.bounds.processor});
        found.bounds.chain = question_.start == Start::barrier ? 0 : (windows_chains_ + chain_) / calls;
        found.bounds.end_of_chain = end_of_chain_;
        return found;
    }
    PathStep told(Time time, int rank, Index index, What what) {
        using Kind = PathStep::Kind;
        PathStep step{Kind::works, rank, -1, 0, time, time};
        if (index == none) return step;
        const Live& live = at(rank).rank.at(index);
        const Action action = description(live).action;
        step.peer = live.peer;
        step.bytes = description(live).bytes;
        if (what == What::inject) step.kind = Kind::prepares;
        if (what == What::arrived) step.kind = Kind::message;
        if (what == What::left) step.kind = Kind::leaves;
        if (what == What::finished)
            step.kind = action == Action::receive ? Kind::takes : action == Action::reduce ? Kind::reduces : Kind::copies;
        return step;
    }
    void add_waits(std::vector<PathStep>& path) {
        for (PathStep& step : path)
            if (step.kind == PathStep::Kind::message)
                step.waits = std::max<Time>(
                    0, step.end - step.begin -
                           sharing_.alone({0, step.peer, 0, node(step.peer), node(step.rank), step.bytes}).arrived);
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
    Time send_overhead_, receive_overhead_;
    Bytes eager_;
    double copy_rate_;
    Time copy_overhead_;
    double reduction_rate_;
    Time reduction_overhead_;
    Arrivals arrivals_;
    Interruptions interruptions_;
    std::vector<Processor, HugePages<Processor>> ranks_;
    int done_ = 0;  // ranks, in the present window
    Time longest_ = 0, windows_took_ = 0;
    Time chain_ = 0, windows_chains_ = 0;  // the longest one, of the present window or all calls; of the windows before
    int end_of_chain_ = 0;
    std::optional<Shortening> shortening_;
    Channels channels_;
    Flights flights_;
    Common common_;
    Events events_;
    Time now_ = 0;
    std::uint64_t number_ = 0;
    std::int64_t messages_ = 0, steps_ = 0;
    absl::flat_hash_map<std::pair<int, int>, Pair> pairs_;
};

template <typename Sharing>
Answer run_on(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
              const Question& question) {
    const Machine meant = program.of_interfaces() ? of_interfaces(machine) : machine;
    if (std::optional<Answer> found = Run<Sharing>(meant, network, nodes, program, question).run()) return *std::move(found);
    Question all = question;
    all.shorten = Shorten::never;
    return *Run<Sharing>(meant, network, nodes, program, all).run();
}

}  // namespace

Answer run(const Machine& machine, const Network& network, const std::vector<int>& nodes, const Program& program,
           const Question& question) {
    if (question.sharing == "flows") return run_on<Flows>(machine, network, nodes, program, question);
    if (question.sharing != "reservation")
        throw base::Error("there is no way of sharing '" + question.sharing + "'", "there are: reservation, flows");
    return run_on<Reservation>(machine, network, nodes, program, question);
}

}  // namespace kumihimo::simulator
