// A job of several nodes and ranks in one test process: starts an agent for each node, opens a file at all of them and plays
// all ranks. Collective steps ask everybody first and take the answers then.
#pragma once

#include <memory>
#include <vector>

#include "base/shared_memory.hpp"
#include "iod/link/starter.hpp"
#include "iod/process/agent.hpp"
#include "iod/ring/ring.hpp"
#include "tests/iod/process/line.hpp"

namespace kumihimo::iod::test {

class Rank {
public:
    Rank(Line& line, std::uint32_t session, std::uint32_t rank, std::size_t ring_bytes = 64 << 10);
    Rank(Rank&&) = delete;
    ~Rank();

    void write(Offset offset, std::span<const std::byte> data);  // waits for room; throws if there is none in time
    Status read(Offset offset, std::span<std::byte> to, std::size_t& got, std::uint32_t server = 0, bool fresh = false);
    Result call(Function function, std::int64_t value = 0, std::uint32_t server = 0);
    std::uint64_t ask_call(Function function, std::int64_t value = 0, std::uint32_t server = 0);
    std::uint64_t ask_drain(std::uint64_t epoch, Purpose purpose);
    Drained drained(std::uint64_t request);
    std::uint64_t ask_leave();
    Line& line() { return line_; }
    std::uint64_t position() const { return producer_->position(); }

private:
    void ring(int event);
    Line& line_;
    std::uint32_t session_;
    int memory_file_, agent_event_, rank_event_;
    base::Mapping memory_;
    std::unique_ptr<RingProducer> producer_;
};

struct JobOptions {
    std::string path;
    std::uint32_t nodes = 1, ranks = 1, servers = 1;  // ranks: of each node
    Topology topology = Topology::ring;
    OpenMode mode{true, true, true, false, false, 0644};
    Options options;
    bool threads = false;  // agents as threads of this process
};

class Job {
public:
    explicit Job(const JobOptions& options);  // opens the file; see status()
    ~Job();

    const Status& status() const { return status_; }  // of opening: the first failure
    Rank& rank(std::size_t number) { return *ranks_.at(number); }
    std::size_t ranks() const { return ranks_.size(); }
    Line& agent(std::size_t node) { return *agents_.at(node).line; }
    std::vector<Status> drain(Purpose purpose);  // of each rank
    std::vector<Status> close();                 // drain and leave
    void leave();
    Counters counters(std::size_t node);
    int process(std::size_t node) const { return agents_.at(node).process; }
    void cut_all();  // as if all ranks had been killed

    // The tree of one server: the parent of a node, -1 at the root.
    static int parent_of(Topology topology, std::uint32_t nodes, std::uint32_t servers, std::uint32_t server,
                         std::uint32_t node);

private:
    struct Agent {
        StartedAgent started;
        std::unique_ptr<Line> line;
        Opened opened;
        int process = 0;
    };
    void open_all();
    void attach_all();
    void join_all();

    JobOptions options_;
    Status status_;
    std::vector<Agent> agents_;
    std::vector<std::unique_ptr<Line>> lines_;  // of the ranks that did not open
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::uint64_t epoch_ = 0;
};

}  // namespace kumihimo::iod::test
