#include "tests/iod/process/job.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "iod/process/agent.hpp"
#include "iod/protocol/bulk.hpp"

namespace kumihimo::iod::test {

// ---- a rank ----

Rank::Rank(Line& line, std::uint32_t session, std::uint32_t rank, std::size_t ring_bytes)
    : line_(line),
      session_(session),
      memory_file_(memfd_create("ring", MFD_CLOEXEC)),
      agent_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      rank_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    const std::size_t bytes = RingProducer::memory_bytes(ring_bytes);
    if (ftruncate(memory_file_, static_cast<off_t>(bytes)) != 0) throw std::runtime_error("ftruncate");
    memory_ = base::Mapping::shared(memory_file_, bytes);
    producer_ = std::make_unique<RingProducer>(std::span(memory_.data(), bytes));
    const int descriptors[] = {memory_file_, agent_event_, rank_event_};
    const Status joined = line_.call<Status>(Type::join, session, Join{rank}, descriptors);
    if (!joined.ok()) throw std::runtime_error("join: " + joined.text);
}

Rank::~Rank() {
    for (const int descriptor : {memory_file_, agent_event_, rank_event_}) ::close(descriptor);
}

void Rank::ring(int event) {
    const std::uint64_t one = 1;
    if (::write(event, &one, sizeof one) != sizeof one) throw std::runtime_error("event");
}

void Rank::write(Offset offset, std::span<const std::byte> data) {
    while (!data.empty()) {
        const std::size_t bytes = std::min(data.size(), producer_->largest());
        std::byte* const place = producer_->reserve(offset, bytes);
        if (place == nullptr) {
            if (producer_->wake_agent()) ring(agent_event_);
            if (!producer_->wait_for_room(bytes)) continue;
            pollfd state{rank_event_, POLLIN, 0};
            if (poll(&state, 1, Line::patience_ms) != 1) throw std::runtime_error("no room in time");
            std::uint64_t count;
            [[maybe_unused]] const auto taken = ::read(rank_event_, &count, sizeof count);
            continue;
        }
        std::memcpy(place, data.data(), bytes);
        producer_->commit();
        if (producer_->wake_agent_for_much()) ring(agent_event_);
        offset += static_cast<Offset>(bytes);
        data = data.subspan(bytes);
    }
}

Status Rank::read(Offset offset, std::span<std::byte> to, std::size_t& got, std::uint32_t server, bool fresh) {
    const Read read{server, offset, to.size(), position(), fresh};
    const Payload payload = line_.answer(line_.ask(Type::read, session_, encode(read)));
    const DataView data = decode_data(payload);
    got = data.bytes.size();
    std::memcpy(to.data(), data.bytes.data(), got);
    return data.status;
}

std::uint64_t Rank::ask_call(Function function, std::int64_t value, std::uint32_t server) {
    return line_.ask(Type::call, session_, encode(Call{server, function, value, position()}));
}

Result Rank::call(Function function, std::int64_t value, std::uint32_t server) {
    return decode<Result>(line_.answer(ask_call(function, value, server)));
}

std::uint64_t Rank::ask_drain(std::uint64_t epoch, Purpose purpose) {
    return line_.ask(Type::drain, session_, encode(Drain{0, epoch, purpose, position(), {}}));
}

Drained Rank::drained(std::uint64_t request) {
    return decode<Drained>(line_.answer(request));
}

std::uint64_t Rank::ask_leave() {
    return line_.ask(Type::leave, session_, encode(Leave{position()}));
}

// ---- the job ----

// Server s is at node s * nodes / servers; trees are numbered from their root on.
int Job::parent_of(Topology topology, std::uint32_t nodes, std::uint32_t servers, std::uint32_t server, std::uint32_t node) {
    const std::uint32_t root = server * nodes / servers;
    const std::uint32_t place = (node + nodes - root) % nodes;
    if (place == 0) return -1;
    const std::uint32_t parent = topology == Topology::ring ? place - 1 : topology == Topology::tree ? (place - 1) / 2 : 0;
    return static_cast<int>((parent + root) % nodes);
}

Job::Job(const JobOptions& options) : options_(options) {
    for (std::uint32_t node = 0; node < options.nodes; ++node) {
        Agent agent;
        agent.started = start_agent(options.threads ? "thread" : "");
        agent.line = std::make_unique<Line>(agent.started.connection);
        const std::string name = agent.line->greet().name;  // "agent 4711"
        agent.process = std::stoi(name.substr(name.rfind(' ')));
        agents_.push_back(std::move(agent));
    }
    open_all();
    if (status_.ok()) attach_all();
    if (status_.ok()) join_all();
}

void Job::open_all() {
    for (std::uint32_t node = 0; node < options_.nodes; ++node) {
        Open open{options_.path,    options_.mode, node, options_.nodes, options_.servers, options_.ranks, {},
                  options_.options, true};
        for (std::uint32_t server = 0; server < options_.servers; ++server) {
            std::uint32_t children = 0;
            for (std::uint32_t other = 0; other < options_.nodes; ++other)
                children +=
                    parent_of(options_.topology, options_.nodes, options_.servers, server, other) == static_cast<int>(node);
            open.children.push_back(children);
        }
        open.options.topology = options_.topology;
        agents_[node].opened = agent(node).call<Opened>(Type::open, 0, open);
        status_.keep_first(agents_[node].opened.status);
    }
}

void Job::attach_all() {
    std::vector<std::vector<std::size_t>> used(options_.nodes, std::vector<std::size_t>(options_.servers));
    std::vector<std::uint64_t> requests;
    for (std::uint32_t node = 0; node < options_.nodes; ++node) {
        Attach attach;
        for (std::uint32_t server = 0; server < options_.servers; ++server) {
            const int parent = parent_of(options_.topology, options_.nodes, options_.servers, server, node);
            if (parent < 0) {
                attach.parents.push_back({true, {}, 0, {}});
                continue;
            }
            const Opened& opened = agents_[static_cast<std::size_t>(parent)].opened;
            const std::size_t child = used[static_cast<std::size_t>(parent)][server]++;
            attach.parents.push_back({false, opened.addresses, opened.session, opened.child_tokens.at(server).at(child)});
        }
        requests.push_back(agent(node).ask(Type::attach, agents_[node].opened.session, encode(attach)));
    }
    for (std::uint32_t node = 0; node < options_.nodes; ++node)
        status_.keep_first(decode<Status>(agent(node).answer(requests[node])));
}

void Job::join_all() {
    std::uint32_t number = 0;
    for (Agent& agent : agents_) {
        ranks_.push_back(std::make_unique<Rank>(*agent.line, agent.opened.session, number++));
        for (const Token& token : agent.opened.rank_tokens) {
            lines_.push_back(std::make_unique<Line>(Line::local(agent.opened.local_address)));
            lines_.back()->greet(token);
            ranks_.push_back(std::make_unique<Rank>(*lines_.back(), agent.opened.session, number++));
        }
    }
}

std::vector<Status> Job::drain(Purpose purpose) {
    ++epoch_;
    std::vector<std::uint64_t> requests;
    for (const auto& rank : ranks_) requests.push_back(rank->ask_drain(epoch_, purpose));
    std::vector<Status> statuses;
    for (std::size_t i = 0; i < requests.size(); ++i) statuses.push_back(ranks_[i]->drained(requests[i]).status);
    return statuses;
}

std::vector<Status> Job::close() {
    std::vector<Status> statuses = drain(Purpose::close);
    leave();
    return statuses;
}

void Job::leave() {
    std::vector<std::uint64_t> requests;
    for (const auto& rank : ranks_) requests.push_back(rank->ask_leave());
    for (std::size_t i = 0; i < ranks_.size(); ++i) ranks_[i]->line().answer(requests[i]);
}

Counters Job::counters(std::size_t node) {
    Line& line = agent(node);
    return decode<Counters>(line.answer(line.ask(Type::counters, agents_[node].opened.session, {})));
}

void Job::cut_all() {
    for (const auto& line : lines_) line->close();
    for (Agent& agent : agents_) agent.line->close();
}

// Threads end when their connections do.
Job::~Job() {
    ranks_.clear();
    lines_.clear();
    for (Agent& agent : agents_) agent.line.reset();
}

}  // namespace kumihimo::iod::test
