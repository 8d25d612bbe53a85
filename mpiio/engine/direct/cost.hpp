// What operations on a file cost: a time for each operation and a time for each byte, fitted to those that were made. Pure.
#pragma once

namespace kumihimo::mpiio::direct {

struct Cost {
    double operation_s = 0, byte_s = 0;
    double of(double operations, double bytes) const { return operations * operation_s + bytes * byte_s; }
};

// Least squares over (bytes, seconds) of single operations, with old ones fading away.
class Regression {
public:
    void add(double bytes, double seconds);
    // The fit; where the observations do not tell both numbers apart, `expected` scaled to their mean.
    Cost fit(const Cost& expected) const;
    double observations() const { return count_; }

private:
    double count_ = 0, bytes_ = 0, seconds_ = 0, squares_ = 0, products_ = 0;
};

}  // namespace kumihimo::mpiio::direct
