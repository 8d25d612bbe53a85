// One open global file: an engine's file (mpiio/engine), this node's pointer and view, and failures as XMP-IO tells them.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/communicator.hpp"
#include "mpiio/engine/report.hpp"
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

class File {
public:
    // Collective over the executing set. Null, with the failure, on every node or on none.
    static std::unique_ptr<File> open(const std::string& name, const Mode& mode, std::optional<Failure>& failure);
    std::optional<Failure> close();  // collective; the file is closed whatever the result
    // Collective: what any node wrote before is on the storage device, and visible to all. Nothing to do for a file that is
    // read.
    std::optional<Failure> synchronise();

    const std::string& name() const { return name_; }
    const Mode& mode() const { return mode_; }
    const execution::NodeSet& set() const { return *set_; }
    MPI_Comm communicator() const { return *communicator_; }
    bool first_node() const { return set_->my_number() == 0; }
    std::optional<Failure> refuses(bool writing) const;  // (local) what the mode does not allow

    // A call that moves data, body() -> failure, for KUMIHIMO_IO_REPORT. Calls inside of it belong to it.
    template <typename Body>
    std::optional<Failure> counted(bool writing, bool collective, const Index& moved, Body&& body) {
        if (counting_ || !reports_) return body();
        const Mark mark(counting_);
        const mpiio::CountedCall call(calls_, true);
        std::optional<Failure> failure = body();
        call.complete(writing, collective, moved, failure.has_value());
        return failure;
    }

    std::optional<Failure> bytes(Index& bytes) const;        // (local) of the file
    mpiio::Hints hints() const { return engine_->hints(); }  // (local) in force

    // ---- transfers. All the bytes or a failure; at the end of the file reading moves what there is: the caller decides
    // whether that is an error. They return a failure of this node, collective ones the same on all.

    // (local) At an offset of the view.
    std::optional<Failure> read(Index offset, void* buffer, Index bytes, Index& moved);
    std::optional<Failure> write(Index offset, const void* buffer, Index bytes);
    // (local) The same at this node's pointer, which stays.
    std::optional<Failure> read_here(void* buffer, Index bytes, Index& moved);
    std::optional<Failure> write_here(const void* buffer, Index bytes, Index& moved);
    // (local) At the pointer that all nodes share: other nodes' data never stands in between. No view may be set.
    std::optional<Failure> move_shared(void* buffer, Index bytes, bool writing, Index& moved);
    // Collective: memory that has `memory`'s bytes in the order of the view, from its byte `offset` on. peers: as of
    // mpiio::Access.
    std::optional<Failure> move_all(const mpiio::View& view, Index offset, const mpiio::Memory& memory, bool writing,
                                    Index& moved, std::span<const mpiio::Memory> peers = {});

    // ---- pointers and view
    std::optional<Failure> end(Index& position) const;  // (local) of what the view shows of the file
    std::optional<Failure> tell_shared(Index& position) const;
    std::optional<Failure> seek_shared(Index offset, int whence);  // collective; whence as in fseek
    // (local) From byte `displacement` on this node sees only the section's bytes that are its own.
    void set_view(Index displacement, const sets::Extents& own, Index section_bytes);
    void clear_view();
    bool viewed() const { return viewed_; }
    const mpiio::View& view() const { return view_; }

    // Collective: from now on a description of what is written is kept, and stored when the file is closed.
    std::optional<Failure> describe();
    std::unique_ptr<Sidecar> sidecar;  // none: no description is kept

    Index position = 0;           // of this node's pointer, in the view
    bool append_pending = false;  // the first write goes to the end (decision IO-12)

private:
    struct Mark {
        explicit Mark(bool& set) : mark(set) { mark = true; }
        ~Mark() { mark = false; }
        bool& mark;
    };

    File() = default;
    std::optional<Failure> sees_nothing() const;
    void note_write(const mpiio::View& view, Index offset, Index bytes) const;  // for the description
    std::optional<Failure> bytes_for_all(Index& bytes) const;
    std::optional<Failure> begin();
    std::optional<Failure> move_shared_pointer(Index offset, int whence);
    static std::optional<Failure> told(const std::optional<Failure>& failure, int code = -1);  // an engine's, as ours

    std::string name_;
    Mode mode_;
    execution::NodeSetPointer set_;
    std::shared_ptr<Communicator> communicator_;
    std::unique_ptr<mpiio::EngineFile> engine_;
    const char* server_ = "";
    mpiio::View view_;
    bool viewed_ = false;
    bool reports_ = false;  // KUMIHIMO_IO_REPORT, as all nodes had it when the file was opened
    bool counting_ = false;
    mpiio::Calls calls_;
};

}  // namespace kumihimo::xmpio
