// The widest vectors of the processor that runs this. All is compiled for any processor of its kind; loops over many elements
// exist in three forms, of which one is chosen when a table of functions is made.
#pragma once

namespace kumihimo::copying {

enum class Vectors { any, avx2, avx512 };

inline Vectors widest_vectors() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return Vectors::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
#endif
    return Vectors::any;
}

// A function whose loop the compiler vectorises, in the form for the widest vectors. It must give the same bits in each form:
// no sum of products, which would be contracted.
template <auto function>
struct InVectors;

template <typename Result, typename... Arguments, Result (*function)(Arguments...)>
struct InVectors<function> {
#if defined(__x86_64__)
    [[gnu::target("avx2"), gnu::flatten]] static Result avx2(Arguments... arguments) {
        return function(arguments...);
    }
    [[gnu::target("avx512f,avx512bw"), gnu::flatten]] static Result avx512(Arguments... arguments) {
        return function(arguments...);
    }
#endif
    static auto widest() -> Result (*)(Arguments...) {
#if defined(__x86_64__)
        const Vectors vectors = widest_vectors();
        if (vectors == Vectors::avx512) return avx512;
        if (vectors == Vectors::avx2) return avx2;
#endif
        return function;
    }
};

}  // namespace kumihimo::copying
