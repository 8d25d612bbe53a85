// Further ways to a file that is open already: each is a relay, an ssh and a session of its own, and is begun while the ways
// that are there go on.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "iod/client/agent.hpp"
#include "iod/client/lost_ways.hpp"

namespace kumihimo::iod {

// One way: a relay's connection, and the session behind it.
struct Stream {
    Link link;
    std::uint32_t session = 0;
    std::size_t under_way = 0;  // bytes
    WayThere way = {};          // of whoever began it
};

class Widening {
public:
    Widening() = default;
    // `further`: of those beside the one that leads there already. `different`: gateways that all of them go by.
    Widening(std::vector<Route> further, std::size_t different, FileOpen open);

    std::size_t most() const { return most_; }  // altogether
    std::size_t different() const { return std::min(most_, different_); }
    bool under_way() const { return !begun_.empty(); }
    void begin(std::size_t ways);
    // One that is ready now, if any. A way that fails is none, and then no more are begun.
    std::optional<Stream> ready();

private:
    struct Begun {
        Link link;
        std::uint64_t asked;
        Route route;
        WayThere way;
        bool routed = false;
    };
    bool begin_one();
    std::optional<Stream> step(Begun& begun);

    std::vector<Route> routes_;
    std::size_t next_ = 0, different_ = 1;
    FileOpen open_;
    std::size_t most_ = 1;
    std::vector<Begun> begun_;
};

}  // namespace kumihimo::iod
