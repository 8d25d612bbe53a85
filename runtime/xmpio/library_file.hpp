// A file that the MPI library serves by its own MPI-IO, for comparison with the engines (KUMIHIMO_IO=mpi). Collective calls are
// the library's: those of today's libraries hang where one node's file system reports an error.
#pragma once

#include "mpiio/engine/direct/shared.hpp"
#include "mpiio/engine/engine.hpp"

namespace kumihimo::xmpio {

class LibraryFile final : public mpiio::EngineFile {
public:
    // Collective.
    static std::unique_ptr<EngineFile> open(const mpiio::OpenRequest& request, std::optional<mpiio::Failure>& failure);
    static std::optional<mpiio::Failure> remove(const std::string& name);

    mpiio::Outcome read(const mpiio::Access& access) override { return move(access, false); }
    mpiio::Outcome write(const mpiio::Access& access) override { return move(access, true); }
    mpiio::Outcome read_all(const mpiio::Access& access) override { return move_all(access, false); }
    mpiio::Outcome write_all(const mpiio::Access& access) override { return move_all(access, true); }

    std::optional<mpiio::Failure> size(mpiio::Index& bytes) override;
    std::optional<mpiio::Failure> set_size(mpiio::Index bytes) override;
    std::optional<mpiio::Failure> preallocate(mpiio::Index bytes) override;
    std::optional<mpiio::Failure> sync() override;
    std::optional<mpiio::Failure> close() override;
    std::optional<mpiio::Failure> set_atomic(bool atomic) override;
    std::optional<mpiio::Failure> add_to_shared(mpiio::Index amount, mpiio::Index& before) override {
        return pointer_.add(amount, before);
    }
    std::optional<mpiio::Failure> set_shared(mpiio::Index value) override { return pointer_.set(value); }
    mpiio::Hints hints() const override;
    void set_hints(const mpiio::Hints&) override {}
    mpiio::Counters counters() const override { return {}; }

private:
    LibraryFile(MPI_Comm comm, std::string name) : comm_(comm), name_(std::move(name)) {}
    std::optional<mpiio::Failure> failure_of(int code, const std::string& what) const;
    mpiio::Outcome move(const mpiio::Access& access, bool writing);
    mpiio::Outcome move_all(const mpiio::Access& access, bool writing);
    mpiio::Outcome move_stretch(mpiio::Index offset, std::byte* memory, mpiio::Index bytes, bool writing);
    void share_pointer();  // collective
    bool first() const;

    MPI_Comm comm_;
    std::string name_;
    MPI_File handle_ = MPI_FILE_NULL;
    mpiio::direct::Meter meter_;
    mpiio::direct::SharedPointer pointer_{meter_};
};

}  // namespace kumihimo::xmpio
