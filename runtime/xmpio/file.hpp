// One open global file: the MPI-IO handle, this node's pointer, and transfers that count every byte.
// Only independent MPI-IO calls move data: the collective ones of today's MPI libraries hang or lose data when one node's
// file system reports an error (they leave out the agreement), so collective.cpp exchanges data itself.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "runtime/execution/objects.hpp"
#include "runtime/xmpio/agreement.hpp"
#include "runtime/xmpio/sidecar.hpp"

namespace kumihimo::xmpio {

using sets::Index;

// How a file is opened. append: the first write goes to the end; exclusive: there must be none of that name.
struct Mode {
    bool read = false, write = false, append = false, create = false, truncate = false, at_end = false, exclusive = false;
    static std::optional<Mode> parse(const std::string& text);  // of fopen
};

// Collective: opens (creates, truncates) the file once by hand, before MPI does. MPI libraries disagree about an open that
// fails on some nodes only (Open MPI's other nodes wait for ever), and they drop errno. Names with a driver's
// prefix ("ufs:...") pass unseen.
std::optional<Failure> rehearse(MPI_Comm comm, const std::string& name, const Mode& mode);

class File {
public:
    // Collective over the executing set. Null, with the failure, on every node or on none.
    static std::unique_ptr<File> open(const std::string& name, const Mode& mode, std::optional<Failure>& failure);
    std::optional<Failure> close();  // collective; MPI_File_close was called whatever the result
    // Collective: what any node wrote before is on the storage device, and visible to all. Nothing to do for a file that is
    // read.
    std::optional<Failure> synchronise() const;

    const std::string& name() const { return name_; }
    const Mode& mode() const { return mode_; }
    const execution::NodeSet& set() const { return *set_; }
    MPI_Comm communicator() const { return *communicator_; }
    MPI_File handle() const { return handle_; }
    bool first_node() const { return set_->my_number() == 0; }

    // (local) Bytes of the file.
    Index bytes() const;
    // (local) All the bytes or a failure: short counts are resumed, interrupted calls repeated. At end of file read
    // returns what there is: the caller decides whether that is an error. Offsets are relative to the view.
    std::optional<Failure> read(Index offset, void* buffer, Index bytes, Index& moved) const;
    std::optional<Failure> write(Index offset, const void* buffer, Index bytes) const;
    // (local) The same at this node's pointer, which stays.
    std::optional<Failure> read_here(void* buffer, Index bytes, Index& moved) const;
    std::optional<Failure> write_here(const void* buffer, Index bytes, Index& moved);
    std::optional<Failure> refuses(bool writing) const;  // (local) what the mode does not allow

    // (local) At the pointer that all nodes share, in one call: other nodes' data never stands in between. No view may be set.
    std::optional<Failure> move_shared(void* buffer, Index bytes, bool writing, Index& moved) const;

    Index position = 0;           // of this node's pointer, in the view
    bool append_pending = false;  // the first write goes to the end (decision IO-12)
    // Collective: from now on a description of what is written is kept, and stored when the file is closed.
    std::optional<Failure> describe();
    std::unique_ptr<Sidecar> sidecar;  // none: no description is kept

    // Whether a view is set; a node that owns nothing of it must not call MPI-IO with its empty type.
    enum class View { bytes, section, empty } view = View::bytes;

private:
    File() = default;
    template <typename Call>
    std::optional<Failure> transfer(Index offset, Index bytes, Index& moved, const char* verb, Call&& call) const;

    std::string name_;
    Mode mode_;
    execution::NodeSetPointer set_;
    std::shared_ptr<Communicator> communicator_;
    MPI_File handle_ = MPI_FILE_NULL;
};

// Sentence for a failed MPI call: the class's text, and what the operating system said where that is known.
std::string mpi_error_text(int code, int system_error);

}  // namespace kumihimo::xmpio
