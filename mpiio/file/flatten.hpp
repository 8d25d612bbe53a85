// From the constructors of an MPI datatype to the bytes that it selects.
#pragma once

#include <mpi.h>

#include "mpiio/file/type_contents.hpp"
#include "sets/extents.hpp"

namespace kumihimo::mpiio {

// What differs between the representations of a type: where its basic types and its bounds lie.
class Layout {
public:
    virtual ~Layout() = default;
    virtual sets::Extents basic(MPI_Datatype type) const = 0;  // of a predefined type
    // The bytes of a derived type, whose bounds are those that follow from its parts, with its bounds.
    virtual sets::Extents bounded(MPI_Datatype type, const sets::Extents& extents) const = 0;
};

// The bytes of a type. Throws std::invalid_argument for a constructor that this library does not know.
sets::Extents flatten(MPI_Datatype type, const Layout& layout);

// Memory, as this process sees it.
class NativeLayout : public Layout {
public:
    sets::Extents basic(MPI_Datatype type) const override;
    sets::Extents bounded(MPI_Datatype type, const sets::Extents& extents) const override;
};

Index size_of(MPI_Datatype type);

}  // namespace kumihimo::mpiio
