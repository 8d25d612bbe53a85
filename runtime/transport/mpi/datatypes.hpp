// MPI datatypes: of the element types, and of strided shapes, which are kept because programs repeat them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/datatype.hpp"
#include "runtime/transport/transport.hpp"
#include "sets/blocks.hpp"

namespace kumihimo::transport::mpi {

// MPI_DATATYPE_NULL: MPI computes nothing on it. type: an XMP_TYPE.
MPI_Datatype datatype_of(int type);
MPI_Datatype unsigned_of(std::size_t bytes);  // 1, 2, 4, 8

class Datatypes {
public:
    // complete: called before datatypes are freed; afterwards no transfer uses any. (MPI keeps those of transfers under way
    // alive, but MPICH 4.0 does not at the image that they go to.)
    explicit Datatypes(std::function<void()> complete) : complete_(std::move(complete)) { kept_.reserve(most); }
    Datatypes(const Datatypes&) = delete;
    Datatypes& operator=(const Datatypes&) = delete;

    // One side of a shape that is no single run, made of `unit` (of unit_bytes). Belongs to this cache; valid until the next
    // call but one.
    MPI_Datatype of(const Correspondence& shape, sets::End end, MPI_Datatype unit, std::size_t unit_bytes);

private:
    struct Kept {
        MPI_Datatype unit;
        sets::Index run;
        std::vector<sets::Level> levels;
        base::Datatype type;
        std::uint64_t used;  // the latest call that returned it
    };
    static constexpr std::size_t most = 64;
    void drop_half();
    std::function<void()> complete_;
    std::vector<Kept> kept_;
    std::uint64_t calls_ = 0;
};

}  // namespace kumihimo::transport::mpi
