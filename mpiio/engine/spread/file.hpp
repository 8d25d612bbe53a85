// The open file: each transfer goes in windows, and of each window every file gets its part in one request.
#pragma once

#include "base/communicator.hpp"
#include "mpiio/engine/engine.hpp"
#include "mpiio/engine/spread/pieces.hpp"

namespace kumihimo::mpiio::spread {

// One of the files, with a communicator of its own.
struct Member {
    explicit Member(MPI_Comm of) : comm(base::copy_of(of)) {}
    Member(Member&& other) noexcept : file(std::move(other.file)), comm(std::exchange(other.comm, MPI_COMM_NULL)) {}
    ~Member();
    std::unique_ptr<EngineFile> file;
    MPI_Comm comm = MPI_COMM_NULL;
};
using Members = std::vector<Member>;

class SpreadFile final : public EngineFile {
public:
    SpreadFile(way::Spread spread, Members members) : spread_(std::move(spread)), members_(std::move(members)) {}

    Outcome read(const Access& access) override;
    Outcome write(const Access& access) override;
    Outcome read_all(const Access& access) override;
    Outcome write_all(const Access& access) override;

    std::optional<Failure> size(Index& bytes) override;
    std::optional<Failure> set_size(Index bytes) override;
    std::optional<Failure> preallocate(Index bytes) override;
    std::optional<Failure> flush() override;
    std::optional<Failure> sync() override;
    std::optional<Failure> close() override;
    std::optional<Failure> set_atomic(bool atomic) override;

    // The first file's.
    std::optional<Failure> add_to_shared(Index amount, Index& before) override { return first().add_to_shared(amount, before); }
    std::optional<Failure> set_shared(Index value) override { return first().set_shared(value); }
    Hints hints() const override { return members_.front().file->hints(); }
    void set_hints(const Hints& hints) override;
    Counters counters() const override;

private:
    template <typename Call>
    std::optional<Failure> each(Call&& call);  // all are called; the first failure
    EngineFile& first() { return *members_.front().file; }
    template <typename Transfer>
    Outcome locked(Transfer&& transfer);
    Outcome read_alone(const Access& access);
    Outcome write_alone(const Access& access);
    std::optional<Failure> read_window(const Access& access, Index begin, Index end, bool& ended);

    way::Spread spread_;
    Members members_;
    bool atomic_ = false;
    std::vector<std::byte> row_, part_;
};

}  // namespace kumihimo::mpiio::spread
