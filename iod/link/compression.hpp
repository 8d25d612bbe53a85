// Whether what waits for a slow way is compressed: where that spares more bytes in a second than the way carries in it. Nobody
// knows how fast a way is before the buffers along it are full, which take a few MiB at any speed. Until then everything is
// compressed that becomes shorter by it: on a slow way that spares seconds, on a fast one it costs some milliseconds.
// Pure: whoever uses it says what was sent, and what time it is.
#pragma once

#include <cstddef>
#include <optional>

namespace kumihimo::iod::process {

class Compression {
public:
    void sent(std::size_t bytes);  // by the way
    void full(double now);         // it takes no more
    void empty() { full_since_.reset(); }
    void compressed(std::size_t from, std::size_t to, double seconds);

    // Frames that are about to go may be worth it: the way is new, or full and so busy meanwhile.
    bool looks() const { return is_new() || (full_since_ && rate_ != 0); }
    // Asked once for each such frame. What does not pay is tried again now and then.
    bool pays();
    int level() const;  // zstd's: better where there is time

    static constexpr std::size_t buffers = std::size_t{8} << 20;  // bytes along a way: of ssh, and of TCP at both ends

private:
    static constexpr double slow_way = 20e6, very_slow_way = 5e6;  // bytes in a second
    static constexpr double margin = 1.25;                         // other work wants the processor, too
    static constexpr double least_saving = 1 / 16.0;               // of the bytes
    static constexpr double least_seconds = 0.05;                  // of a measurement
    static constexpr double newest_part = 0.25;                    // of the newest frame in what is known
    static constexpr int try_again = 64;                           // frames

    bool is_new() const { return all_ < buffers; }

    double rate_ = 0;               // of the way; 0: nobody knows. Too high as long as it is new
    double speed_ = 0, saved_ = 0;  // of the compressor: bytes in a second, and the part of them that it spares
    std::size_t all_ = 0;           // bytes that it has carried
    std::optional<double> full_since_;
    std::size_t since_ = 0;  // bytes that it has carried since it was full
    std::size_t bytes_ = 0;  // of the measurement under way
    double seconds_ = 0;
    int passed_over_ = 0;
};

}  // namespace kumihimo::iod::process
