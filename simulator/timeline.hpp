// How busy each link is in the course of time: slices of equal length, which become twice as long whenever there are too many.
#pragma once

#include <algorithm>
#include <vector>

#include "simulator/machine.hpp"

namespace kumihimo::simulator {

class Timeline {
public:
    // slices: how many at most, an even number; 0: none are kept.
    Timeline(int links, int slices)
        : slices_(slices), busy_(static_cast<std::size_t>(links) * static_cast<std::size_t>(slices)) {}

    void add(int link, Time begin, Time end) {
        if (slices_ == 0 || end <= begin) return;
        while (end > length_ * slices_) lengthen();
        for (Time slice = begin / length_; begin < end; ++slice) {
            const Time until = std::min(end, (slice + 1) * length_);
            at(link, slice) += static_cast<float>(until - begin);
            begin = until;
        }
    }

    int slices() const { return slices_; }
    Time length() const { return length_; }
    // 0 to 1, unless more than one message has a link at a time.
    double share(int link, int slice) const { return static_cast<double>(at(link, slice)) / static_cast<double>(length_); }

private:
    float& at(int link, Time slice) { return busy_[static_cast<std::size_t>(link * slices_ + slice)]; }
    const float& at(int link, Time slice) const { return busy_[static_cast<std::size_t>(link * slices_ + slice)]; }
    void lengthen() {
        length_ *= 2;
        for (std::size_t first = 0; first < busy_.size(); first += static_cast<std::size_t>(slices_))
            for (std::size_t i = 0; i < static_cast<std::size_t>(slices_); ++i)
                busy_[first + i] =
                    2 * i < static_cast<std::size_t>(slices_) ? busy_[first + 2 * i] + busy_[first + 2 * i + 1] : 0;
    }

    int slices_;
    Time length_ = 1000;
    std::vector<float> busy_;
};

}  // namespace kumihimo::simulator
