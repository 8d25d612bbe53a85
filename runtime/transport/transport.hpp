// One-sided communication with the images that this one cannot reach by a pointer (decision transports-as-modules). One folder
// for each member: mpi, armci, gasnet, faulty; all but mpi are modules, loaded at run time from lib/<family>/
// (docs/explanation/transports.md). Only runtime/localview and gmove in/out call them. Ranks are those of the communicator: of
// the entire set.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/fault_plan.hpp"
#include "sets/correspondence.hpp"

namespace kumihimo::transport {

// What moves: runs of bytes, the offsets on the other image's side added to that of the call. Elements here may repeat in put
// and accumulate: one goes to many. Those at the other image do not overlap each other.
using sets::Correspondence;

enum class Reduction { sum, product, bit_and, bit_or, bit_xor, difference, quotient };
enum class Atomic { define, ref, add, bit_and, bit_or, bit_xor, compare_and_swap };

// Memory of all or some images that a transport reaches: offsets count from the start of each image's block.
class Region {
public:
    virtual ~Region() = default;  // collective over its images; completes what is under way; before the transport's end
    std::byte* local() const { return local_; }
    std::size_t bytes() const { return bytes_; }

protected:
    std::byte* local_ = nullptr;
    std::size_t bytes_ = 0;
};

// Thrown by a call that needs an image whose process has ended.
struct Gone : base::Error {
    Gone(int gone, const std::string& what) : base::Error(what), rank(gone) {}
    int rank;
};

class Transport {
public:
    virtual ~Transport() = default;  // collective
    virtual std::string name() const = 0;
    virtual std::string description() const = 0;  // library and version, for `kumihimo info` and error messages

    // `bytes` may differ between images. attach: memory of another owner, which outlives the region, on the images of
    // `members`, which is of some or all of the communicator's (collective over it; ranks stay those of the communicator); a
    // transport that can only reach memory of its own returns null on every image. allocate: zero-filled, 64-byte aligned
    // memory on all images (collective over the communicator). Throw base::Error on every image.
    virtual std::unique_ptr<Region> attach(std::byte* memory, std::size_t bytes, MPI_Comm members) = 0;
    virtual std::unique_ptr<Region> allocate(std::size_t bytes) = 0;
    // Whatever memory the images' processes have; offsets are addresses there, and who uses one knows that memory is there.
    // Collective over the communicator; null on every image where the transport reaches only what it was told.
    virtual std::unique_ptr<Region> attach_processes() { return nullptr; }

    // Independent. get is complete on return. put and accumulate have read `from` on return; they are complete at the
    // image after fence(). What one image does to the same elements of another is done in the order of its calls.
    // Accumulates of one operation (sum and difference: one) on one type are atomic element by element, and so are atomics
    // among themselves: but not against loads, stores and locks of those who have a pointer. type: an XMP_TYPE.
    virtual void get(Region& region, int rank, std::size_t offset, std::byte* to, const Correspondence& shape) = 0;
    virtual void put(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape) = 0;
    virtual void accumulate(Region& region, int rank, std::size_t offset, const std::byte* from, const Correspondence& shape,
                            Reduction operation, int type) = 0;
    // On 4 or 8 bytes; returns the value before. Complete on return.
    virtual std::int64_t atomic(Region& region, int rank, std::size_t offset, std::size_t bytes, Atomic operation,
                                std::int64_t operand, std::int64_t compare) = 0;
    virtual void fence() = 0;  // everything that this image has put is visible at the images
    virtual void poll() = 0;   // makes progress for others; called in every wait

    // As fence(), but at this image what has been put need only come before what this image asks it for from here on. It has
    // come once came_from(this image) there is what sent_to says here, which sends it on its way. Returns whether all has come.
    virtual bool fence_others(int /*rank*/) { return fence(), true; }
    virtual std::uint64_t sent_to(int /*rank*/) { return 0; }
    virtual std::uint64_t came_from(int /*rank*/) { return 0; }

    // The process of this image has ended. Where the transport can do without it, calls that need it throw Gone from here on,
    // also one that waits for it now, and fences pass over it. (local)
    virtual void give_up(int /*rank*/) {}
};

// The transport of this name ("" : KUMIHIMO_TRANSPORT's choice). Collective over the communicator, which it duplicates.
// Throws base::Error on every image, with the reason if the transport is missing.
std::unique_ptr<Transport> make(const std::string& name, MPI_Comm communicator);

// The transports of this installation, mpi first. (local)
struct Member {
    std::string name;
    std::string missing;  // why it is not there; empty: it is
};
std::vector<Member> members();

// How KUMIHIMO_FAULTY_TRANSPORT is spelt.
inline constexpr base::FaultWords fault_words = {"KUMIHIMO_FAULTY_TRANSPORT", "transport", "mpi", "node", false};

// Throws base::Error if there is no transport of this name, or it is missing. (local)
void check_name(const std::string& name);

// What a module exports as `extern "C" kumihimo_transport`, and a transport that is linked into the program itself brings to
// kumihimo_add_transport before main.
struct Module {
    int version;  // of this interface
    const char* name;
    Transport* (*make)(MPI_Comm communicator);  // collective; throws base::Error on every image
};
inline constexpr int module_version = 6;

}  // namespace kumihimo::transport

extern "C" void kumihimo_add_transport(const kumihimo::transport::Module* module);
