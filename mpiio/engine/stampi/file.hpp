// An open file of another machine: this rank's share of it.
#pragma once

#include "mpiio/engine/stampi/ahead.hpp"
#include "mpiio/engine/stampi/opening.hpp"

namespace kumihimo::mpiio::stampi {

class StampiFile final : public EngineFile {
public:
    std::optional<Failure> open(const OpenRequest& request, const Target& target) {
        return open_together(state_, request, target);
    }

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
    void set_hints(const Hints&) override {}  // what they say is settled when the file is opened
    Counters counters() const override { return counters_; }
    Details details() const override;

private:
    std::optional<Failure> call(iod::FileFunction function, Index value, Index& result);
    std::optional<Failure> finish();                                           // this rank's writes are in the file
    std::optional<Failure> settle();                                           // collective: those of all ranks are
    std::optional<Failure> by_first(iod::FileFunction function, Index value);  // collective
    std::optional<Failure> lose(std::optional<Failure> failure);
    Outcome write_now(const Access& access);
    Outcome send(const Access& access);
    Outcome fetch(const Access& access);
    std::optional<Failure> lock() override;
    std::optional<Failure> unlock() override;

    void forget_ahead() {
        if (state_.remote) ahead_.forget(*state_.remote);
    }

    State state_;
    Ahead ahead_;
    double connections_ = 0;  // when it was closed
    std::vector<std::byte> row_;
    bool atomic_ = false;
    bool dirty_ = false;           // collective writes since all were settled; the same on all ranks
    std::optional<Failure> lost_;  // of bytes that the program took for written: every sync tells it, and close
    Counters counters_;
};

}  // namespace kumihimo::mpiio::stampi
