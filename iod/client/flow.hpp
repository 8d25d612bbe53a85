// How much may be under way to another machine, and whether one more connection would help. Pure: whoever uses it says what
// time it is.
#pragma once

#include <cstddef>

namespace kumihimo::iod {

class Flow {
public:
    // `sharers`: ranks on the same connection, which have a part of it each.
    explicit Flow(std::size_t most_window, std::size_t sharers = 1) : most_window_(most_window), sharers_(sharers) {}

    void round_trip(double seconds);  // of a request that carries nothing
    void sent(std::size_t bytes, double now);
    void answered(std::size_t bytes, double now);

    std::size_t under_way() const { return under_way_; }
    // Bytes that may be under way. `ways`: different ones that lead there, each of which takes its own.
    std::size_t window(std::size_t ways = 1) const;
    std::size_t held() const;   // twice the bytes that fill the way
    std::size_t piece() const;  // bytes of a request for what may not be wanted: it takes a moment of the way
    // Connections that would move more than as many as there are, each of which takes no more than its own window: those of
    // ssh. `ways`: different ones that there are, whose links add up.
    std::size_t more_streams(std::size_t streams, std::size_t most, std::size_t ways = 1) const;
    void widened() { measured_ = false; }  // what was measured before is of fewer connections

    static constexpr std::size_t least_piece = std::size_t{64} << 10, largest_piece = std::size_t{1} << 20;
    static constexpr std::size_t least_held = std::size_t{1} << 20;
    static constexpr std::size_t least_window = std::size_t{8} << 20;
    static constexpr std::size_t stream_window = std::size_t{2} << 20;  // OpenSSH's, of one session

private:
    std::size_t most_window_, sharers_;
    double round_trip_ = 0;  // the shortest
    std::size_t under_way_ = 0, counted_ = 0, peak_ = 0, last_peak_ = 0;
    double busy_since_ = 0, busy_ = 0;  // when something was under way
    double rate_ = 0;
    bool measured_ = false;
};

}  // namespace kumihimo::iod
