// One-sided communication with the images that this one cannot reach by a pointer (decision 4). One folder for each member:
// mpi, gasnet, armci, faulty; the last three are modules, loaded at run time from lib/<family>/. Only runtime/localview and
// gmove in/out call them. Ranks are those of the entire set.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kumihimo::transport {

// What moves: a box of elements with strides in bytes on this side (near) and at the other image (far).
struct Shape {
    static constexpr int most_rank = 7;
    std::size_t element_bytes = 1;
    int rank = 0;  // 0: one element
    std::array<std::int64_t, most_rank> count{};
    std::array<std::ptrdiff_t, most_rank> near{}, far{};
};

enum class Reduction { sum, product, bit_and, bit_or, bit_xor, difference, quotient };
enum class Atomic { define, ref, add, bit_and, bit_or, bit_xor, compare_and_swap };

// Memory of all images that a transport reaches: offsets count from the start of each image's block.
class Region {
public:
    virtual ~Region() = default;  // collective over the communicator
    std::byte* local() const { return local_; }
    std::size_t bytes() const { return bytes_; }

protected:
    std::byte* local_ = nullptr;
    std::size_t bytes_ = 0;
};

class Transport {
public:
    virtual ~Transport() = default;  // collective
    virtual std::string name() const = 0;
    virtual std::string description() const = 0;  // library and version, for `kumihimo info` and error messages

    // Collective over the communicator. attach: memory of another owner, which outlives the region; a transport that can only
    // reach memory of its own returns null on every image, and then is asked to allocate. Throw base::Error on every image.
    virtual std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes) = 0;
    virtual std::unique_ptr<Region> allocate(std::size_t bytes) = 0;  // zero-filled

    // Independent. get is complete on return. put and accumulate have read `from` on return; they are complete at the
    // image after fence(). Accumulates of one type are atomic element by element. type: an XMP_TYPE.
    virtual void get(Region& region, int rank, std::size_t offset, std::byte* to, const Shape& shape) = 0;
    virtual void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape) = 0;
    virtual void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Shape& shape,
                            Reduction operation, int type) = 0;
    // On 4 or 8 bytes; returns the value before. Complete on return.
    virtual std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                                std::int64_t operand, std::int64_t compare) = 0;
    virtual void fence() = 0;  // everything that this image has put is visible at the images
    virtual void poll() = 0;   // makes progress for others; called in every wait
};

// The transport of this job, made at first use (collective over the communicator): KUMIHIMO_TRANSPORT's choice.
// Throws base::Error with the reason if it is missing.
std::unique_ptr<Transport> make(const std::string& name, MPI_Comm communicator);

// What a module exports as `extern "C" kumihimo_transport`.
struct Module {
    int version;  // of this interface
    const char* name;
    Transport* (*make)(MPI_Comm communicator);
};
inline constexpr int module_version = 1;

}  // namespace kumihimo::transport
