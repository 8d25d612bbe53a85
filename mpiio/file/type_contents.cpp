#include "mpiio/file/type_contents.hpp"

namespace kumihimo::mpiio {

namespace {

struct Envelope {
    MPI_Count integers = 0, addresses = 0, large_counts = 0, types = 0;
    int combiner = MPI_COMBINER_NAMED;
};

// The only place that knows whether this MPI has large counts. Where it has, the plain functions fail for types made with them.
#if MPI_VERSION >= 4
Envelope envelope_of(MPI_Datatype type) {
    Envelope e;
    MPI_Type_get_envelope_c(type, &e.integers, &e.addresses, &e.large_counts, &e.types, &e.combiner);
    return e;
}

void get_contents(MPI_Datatype type, const Envelope& e, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                  MPI_Datatype* types) {
    MPI_Type_get_contents_c(type, e.integers, e.addresses, e.large_counts, e.types, integers, addresses, large_counts, types);
}
#else
Envelope envelope_of(MPI_Datatype type) {
    int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return {integers, addresses, 0, types, combiner};
}

void get_contents(MPI_Datatype type, const Envelope& e, int* integers, MPI_Aint* addresses, MPI_Count*, MPI_Datatype* types) {
    MPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses), static_cast<int>(e.types),
                          integers, addresses, types);
}
#endif

bool predefined(int combiner) {
    switch (combiner) {
        case MPI_COMBINER_NAMED:
        case MPI_COMBINER_F90_REAL:
        case MPI_COMBINER_F90_COMPLEX:
        case MPI_COMBINER_F90_INTEGER:
            return true;
        default:
            return false;
    }
}

template <typename Next>
auto sequence_of(Index count, Next&& next) {
    std::vector<decltype(next())> values;
    values.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) values.push_back(next());
    return values;
}

}  // namespace

bool is_predefined(MPI_Datatype type) {
    return predefined(envelope_of(type).combiner);
}

TypeContents::TypeContents(MPI_Datatype type) {
    const Envelope e = envelope_of(type);
    combiner_ = e.combiner;
    if (predefined(combiner_)) return;
    integers_.resize(static_cast<std::size_t>(e.integers));
    addresses_.resize(static_cast<std::size_t>(e.addresses));
    large_counts_.resize(static_cast<std::size_t>(e.large_counts));
    types_.resize(static_cast<std::size_t>(e.types));
    get_contents(type, e, integers_.data(), addresses_.data(), large_counts_.data(), types_.data());
}

TypeContents::~TypeContents() {
    for (MPI_Datatype& type : types_)
        if (!is_predefined(type)) MPI_Type_free(&type);
}

std::vector<int> TypeContents::flags(Index count) {
    return sequence_of(count, [&] { return flag(); });
}

Index TypeContents::number() {
    return large_counts_.empty() ? flag() : large_count();
}

Index TypeContents::address() {
    return large_counts_.empty() ? addresses_[next_address_++] : large_count();
}

std::vector<Index> TypeContents::numbers(Index count) {
    return sequence_of(count, [&] { return number(); });
}

std::vector<Index> TypeContents::addresses(Index count) {
    return sequence_of(count, [&] { return address(); });
}

}  // namespace kumihimo::mpiio
