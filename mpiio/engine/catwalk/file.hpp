// An open file: this rank's share of it, over its session with the agent of its host.
#pragma once

#include "mpiio/engine/catwalk/opening.hpp"
#include "mpiio/engine/catwalk/prediction.hpp"
#include "mpiio/engine/catwalk/reading.hpp"

namespace kumihimo::mpiio::catwalk {

class CatwalkFile final : public EngineFile {
public:
    std::optional<Failure> open(const OpenRequest& request) { return open_together(state_, request); }

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

    std::optional<Failure> add_to_shared(Index amount, Index& before) override;
    std::optional<Failure> set_shared(Index value) override;

    Hints hints() const override { return as_hints(state_.parameters); }
    void set_hints(const Hints&) override {}  // what they say is settled when agents open the file
    Counters counters() const override { return counters_; }
    Details details() const override { return details_; }
    void conclude(Details& totals) const override { predict(totals); }

private:
    std::optional<Failure> call(std::uint32_t server, iod::Function function, Index value, Index& result);
    std::optional<Failure> drain(iod::Purpose purpose);                           // collective
    std::optional<Failure> change_by_first(iod::Function function, Index value);  // collective
    std::optional<Failure> show();
    Outcome write_records(const Access& access);
    Outcome read_bytes(const Access& access);
    std::optional<Failure> lock() override;
    std::optional<Failure> unlock() override;
    void fetch_counters();

    State state_;
    Reader reader_;
    std::vector<std::byte> row_;
    bool atomic_ = false;
    std::uint64_t epoch_ = 0;              // of the last drain
    std::uint64_t collective_writes_ = 0;  // the same number on all ranks
    bool dirty_ = false;                   // collective writes since the last drain
    Index written_end_ = 0;                // by this rank since the last drain, by others before the last one that orders
    std::optional<Failure> kept_;          // of a collective write: the next collective call that agrees tells it
    double opened_at_ = MPI_Wtime();
    Counters counters_;
    Details details_;
};

}  // namespace kumihimo::mpiio::catwalk
