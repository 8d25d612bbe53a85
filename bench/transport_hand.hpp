// The same one-sided operations written by hand on the library below a transport: what bench/transport.cpp compares with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bench {

constexpr std::size_t largest = std::size_t{4} << 20;           // bytes
constexpr int blocks = 1024, block_stride = 2, doubles = 8192;  // strided: blocks of one double; accumulate: doubles

class Hand {
public:
    virtual ~Hand() = default;  // collective, as is the constructor
    // To the other process, complete there on return (get: here).
    virtual void put(const double* from, std::size_t bytes) = 0;
    virtual void get(double* to, std::size_t bytes) = 0;
    virtual void put_strided(const double* from) = 0;
    virtual void accumulate(const double* from) = 0;
    // Of whole numbers, if the library has that.
    virtual bool adds_whole_numbers() const { return false; }
    virtual void add(const std::int64_t* /*from*/, int /*count*/) {}
};

std::unique_ptr<Hand> make_hand(int target);

}  // namespace bench
