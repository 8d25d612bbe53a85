// Whether what waits for a slow way is compressed: where that spares more bytes in a second than the way carries in it. Pure:
// whoever uses it says what was carried, and how long that took.
#pragma once

#include <cstddef>

namespace kumihimo::iod::process {

class Compression {
public:
    void carried(std::size_t bytes, double seconds);  // by a way that was full all the time
    void compressed(std::size_t from, std::size_t to, double seconds);
    bool knows_the_way() const { return rate_ != 0; }
    // Asked once for each frame that waits. What does not pay is tried again now and then.
    bool pays();
    int level() const { return rate_ < slow_way ? 3 : 1; }  // zstd's: better where there is time

private:
    static constexpr double slow_way = 20e6;          // bytes in a second
    static constexpr double margin = 1.25;            // other work wants the processor, too
    static constexpr double least_saving = 1 / 16.0;  // of the bytes
    static constexpr double least_seconds = 0.05;     // of a measurement
    static constexpr double newest_part = 0.25;       // of the newest frame in what is known
    static constexpr int try_again = 64;              // frames

    double rate_ = 0;               // of the way; 0: nobody knows
    double speed_ = 0, saved_ = 0;  // of the compressor: bytes in a second, and the part of them that it spares
    std::size_t bytes_ = 0;
    double seconds_ = 0;
    int passed_over_ = 0;
};

}  // namespace kumihimo::iod::process
