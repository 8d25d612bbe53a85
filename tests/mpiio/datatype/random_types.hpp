// Random datatypes, nested, of every constructor.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "mpiio/file/flatten.hpp"

namespace random_types {

// A datatype that frees itself.
class Type {
public:
    explicit Type(MPI_Datatype handle) : handle_(handle) {}
    Type(Type&& other) noexcept : handle_(std::exchange(other.handle_, MPI_DATATYPE_NULL)) {}
    Type& operator=(Type&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Type() {
        if (handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
    }
    operator MPI_Datatype() const { return handle_; }

private:
    MPI_Datatype handle_;
};

class Generator {
public:
    // Plain types have no empty parts (as distributed arrays may), and nothing goes backwards.
    Generator(std::uint64_t seed, bool plain) : random_(seed), least_(plain), plain_(plain) {}

    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    std::mt19937_64& engine() { return random_; }

    void use(const std::vector<MPI_Datatype>& named) { named_ = named; }

    Type make(int depth) { return depth == 0 ? basic() : derived(make(depth - 1), depth); }

private:
    template <typename Number>
    std::vector<Number> list(int count, int low, int high) {
        std::vector<Number> values(static_cast<std::size_t>(count));
        for (Number& value : values) value = static_cast<Number>(between(low, high));
        return values;
    }

    Type basic() {
        MPI_Datatype type;
        MPI_Type_dup(named_[static_cast<std::size_t>(between(0, static_cast<int>(named_.size()) - 1))], &type);
        return Type(type);
    }

    Type derived(const Type& old, int depth) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int count = between(least_, 4);
        switch (between(0, 12)) {
            case 0:
                MPI_Type_contiguous(between(least_, 3), old, &type);
                break;
            case 1:
                MPI_Type_vector(count, between(least_, 3), stride(3, 4, 5), old, &type);
                break;
            case 2:
                MPI_Type_create_hvector(count, between(least_, 3), stride(0, 90, 200), old, &type);
                break;
            case 3:
                MPI_Type_indexed(count, list<int>(count, least_, 3).data(), places<int>(count, 4).data(), old, &type);
                break;
            case 4:
                MPI_Type_create_hindexed(count, list<int>(count, least_, 3).data(), places<MPI_Aint>(count, 70).data(), old,
                                         &type);
                break;
            case 5:
                MPI_Type_create_indexed_block(count, between(least_, 3), places<int>(count, 4).data(), old, &type);
                break;
            case 6:
                MPI_Type_create_hindexed_block(count, between(least_, 3), places<MPI_Aint>(count, 70).data(), old, &type);
                break;
            case 7:
                structure(old, depth, &type);
                break;
            case 8:
            case 9:
                subarray(old, &type);
                break;
            case 10:
                MPI_Type_dup(old, &type);
                break;
            case 11:
                resized(old, &type);
                break;
            default:
                plain_ ? subarray(old, &type) : distributed_array(old, &type);
        }
        return Type(type);
    }

    // Not -1: Open MPI 4.1 packs a vector with a stride of minus one byte as if it were contiguous.
    int stride(int least_of_plain, int most_backwards, int most) {
        const bool backwards = !plain_ && between(0, 2) == 0;
        return backwards ? -between(2, most_backwards) : between(plain_ ? least_of_plain : 0, most);
    }

    // Mostly ascending and far apart, sometimes anywhere.
    template <typename Number>
    std::vector<Number> places(int count, int step) {
        if (!plain_ && between(0, 3) == 0) return list<Number>(count, -2 * step, 4 * step);
        std::vector<Number> values = list<Number>(count, 0, step / 2);
        for (std::size_t i = 1; i < values.size(); ++i) values[i] += values[i - 1] + step;
        return values;
    }

    void structure(const Type& old, int depth, MPI_Datatype* type) {
        const int count = between(1, 4);
        const Type other = make(between(0, depth - 1));
        std::vector<MPI_Datatype> types;
        for (int i = 0; i < count; ++i) types.push_back(between(0, 1) == 0 ? old : other);
        for (MPI_Datatype& part : types)  // MPICH 4.0 divides by the size of a part when it packs
            if (kumihimo::mpiio::size_of(part) == 0) part = named_.back();
        MPI_Type_create_struct(count, list<int>(count, least_, 3).data(), places<MPI_Aint>(count, 100).data(), types.data(),
                               type);
    }

    int order() { return between(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

    void subarray(const Type& old, MPI_Datatype* type) {
        const int dimensions = between(1, 4);
        const std::vector<int> sizes = list<int>(dimensions, 1, dimensions > 2 ? 3 : 5);
        std::vector<int> subsizes, starts;
        for (const int size : sizes) {
            subsizes.push_back(between(1, size));
            starts.push_back(between(0, size - subsizes.back()));
        }
        MPI_Type_create_subarray(dimensions, sizes.data(), subsizes.data(), starts.data(), order(), old, type);
    }

    void distributed_array(const Type& old, MPI_Datatype* type) {
        const int dimensions = between(1, 3);
        std::vector<int> sizes, kinds, arguments, processes;
        int total = 1;
        for (int d = 0; d < dimensions; ++d) {
            const int kind = between(0, 2), size = between(1, 8), p = kind == 2 ? 1 : between(1, 3);
            const int smallest = kind == 0 ? (size + p - 1) / p : 1;  // blocks must hold the whole dimension
            sizes.push_back(size);
            kinds.push_back(kind == 0 ? MPI_DISTRIBUTE_BLOCK : kind == 1 ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_NONE);
            arguments.push_back(kind == 2 || between(0, 1) == 0 ? MPI_DISTRIBUTE_DFLT_DARG : smallest + between(0, 2));
            processes.push_back(p);
            total *= p;
        }
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI refuses some types, as those without an extent
        const int code = MPI_Type_create_darray(total, between(0, total - 1), dimensions, sizes.data(), kinds.data(),
                                                arguments.data(), processes.data(), order(), old, type);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        if (code != MPI_SUCCESS) MPI_Type_dup(old, type);
    }

    void resized(const Type& old, MPI_Datatype* type) {
        MPI_Count lower = 0, extent = 0;
        if (kumihimo::mpiio::size_of(old) > 0) MPI_Type_get_true_extent_x(old, &lower, &extent);
        const MPI_Aint smallest = between(0, 4) == 0 ? 0 : static_cast<MPI_Aint>(extent);
        MPI_Type_create_resized(old, static_cast<MPI_Aint>(lower) + between(plain_ ? 0 : -8, 8), smallest + between(0, 16),
                                type);
    }

    // No long double: MPICH moves it as a number and clears its six bytes of padding.
    std::vector<MPI_Datatype> named_{MPI_BYTE, MPI_SHORT,     MPI_INT,       MPI_DOUBLE,     MPI_C_DOUBLE_COMPLEX,
                                     MPI_2INT, MPI_FLOAT_INT, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_LONG_INT};
    std::mt19937_64 random_;
    int least_;  // of counts
    bool plain_;
};

}  // namespace random_types
