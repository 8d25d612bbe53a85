#include "runtime/arrays/multiply.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "copying/vectors.hpp"
#include "runtime/elements/element_type.hpp"

namespace kumihimo::arrays {

using elements::is_complex;

// ---- our own kernel ----
//
// As in Goto's and van de Geijn's "Anatomy of High-Performance Matrix Multiplication" (2008): a block of a is packed so that it
// stays in the second-level cache, strips of b so that they stay in the first, and a tile of c in registers.

namespace {

constexpr Index most_depth = 256;

// Columns of a tile: two vectors, or two numbers where there are no vectors of them.
template <typename T, int vector_bytes>
struct Registers {
    using Vector __attribute__((vector_size(vector_bytes))) = T;
    static constexpr int columns = 2 * vector_bytes / static_cast<int>(sizeof(T));
};
template <int vector_bytes>
struct Registers<long double, vector_bytes> {
    using Vector = long double;
    static constexpr int columns = 2;
};

// tile = a strip * b strip; `rows` values of a and `columns` values of b for each step of the depth.
template <typename T, int vector_bytes, int rows>
[[gnu::always_inline]] inline void multiply_strips(Index depth, const T* a, const T* b, T* tile) {
    using Vector = typename Registers<T, vector_bytes>::Vector;
    constexpr int columns = Registers<T, vector_bytes>::columns;
    Vector sum[rows][2] = {};
    for (Index k = 0; k < depth; ++k, a += rows, b += columns) {
        Vector left, right;
        std::memcpy(&left, b, sizeof(Vector));
        std::memcpy(&right, b + columns / 2, sizeof(Vector));
#pragma GCC unroll 16
        for (int i = 0; i < rows; ++i) {
            sum[i][0] += a[i] * left;
            sum[i][1] += a[i] * right;
        }
    }
    for (int i = 0; i < rows; ++i) {
        std::memcpy(tile + i * columns, &sum[i][0], sizeof(Vector));
        std::memcpy(tile + i * columns + columns / 2, &sum[i][1], sizeof(Vector));
    }
}

template <typename T>
struct Kernel {
    int rows, columns;
    void (*multiply)(Index depth, const T* a, const T* b, T* tile);
};

template <typename T>
void multiply_any(Index depth, const T* a, const T* b, T* tile) {
    multiply_strips<T, 16, 6>(depth, a, b, tile);
}
#if defined(__x86_64__)
template <typename T>
[[gnu::target("avx2,fma")]] void multiply_avx2(Index depth, const T* a, const T* b, T* tile) {
    multiply_strips<T, 32, 6>(depth, a, b, tile);
}
template <typename T>
[[gnu::target("avx512f,avx512bw")]] void multiply_avx512(Index depth, const T* a, const T* b, T* tile) {
    multiply_strips<T, 64, 12>(depth, a, b, tile);
}
#endif

template <typename T>
Kernel<T> choose_kernel() {
#if defined(__x86_64__)
    if (!std::is_same_v<T, long double>) {
        const copying::Vectors vectors = copying::widest_vectors();
        if (vectors == copying::Vectors::avx512) return {12, Registers<T, 64>::columns, multiply_avx512<T>};
        if (vectors == copying::Vectors::avx2) return {6, Registers<T, 32>::columns, multiply_avx2<T>};
    }
#endif
    return {6, Registers<T, 16>::columns, multiply_any<T>};
}

// Matrices whose elements are `column` apart in a row: parts of complex numbers, too.
template <typename T>
struct Matrix {
    T* first;
    Index row, column;
    T& at(Index i, Index j) const { return first[i * row + j * column]; }
};

// Strips of `width` rows (of a) or columns (of b), filled up with zeros.
template <typename T>
void pack(const Matrix<const T>& matrix, Index count, Index depth, int width, T* packed) {
    for (Index strip = 0; strip < count; strip += width) {
        const Index present = std::min<Index>(width, count - strip);
        for (Index k = 0; k < depth; ++k, packed += width) {
            for (Index i = 0; i < present; ++i) packed[i] = matrix.at(strip + i, k);
            std::fill(packed + present, packed + width, T(0));
        }
    }
}

template <typename T>
class BlockedProduct {
public:
    BlockedProduct(Index rows, Index columns, Index depth) : kernel_(choose()), rows_(rows), columns_(columns), depth_(depth) {}

    void run(const Matrix<const T>& a, const Matrix<const T>& b, const Matrix<T>& c, bool subtract) {
        for (Index k = 0; k < depth_; k += most_depth) {
            const Index depth = std::min(most_depth, depth_ - k);
            for (Index j = 0; j < columns_; j += block_columns) {
                const Index columns = std::min(block_columns, columns_ - j);
                strips_b_.resize(static_cast<std::size_t>(rounded(columns, kernel_.columns) * depth));
                pack<T>({&b.at(k, j), b.column, b.row}, columns, depth, kernel_.columns, strips_b_.data());
                for (Index i = 0; i < rows_; i += block_rows) {
                    const Index rows = std::min(block_rows, rows_ - i);
                    strips_a_.resize(static_cast<std::size_t>(rounded(rows, kernel_.rows) * depth));
                    pack<T>({&a.at(i, k), a.row, a.column}, rows, depth, kernel_.rows, strips_a_.data());
                    multiply_block(rows, columns, depth, {&c.at(i, j), c.row, c.column}, subtract);
                }
            }
        }
    }

private:
    static constexpr Index block_rows = 144, block_columns = 2048;
    static const Kernel<T>& choose() {
        static const Kernel<T> kernel = choose_kernel<T>();
        return kernel;
    }
    static Index rounded(Index count, int width) { return (count + width - 1) / width * width; }

    void multiply_block(Index rows, Index columns, Index depth, const Matrix<T>& c, bool subtract) const {
        alignas(64) T tile[12 * 2 * 64];
        for (Index j = 0; j < columns; j += kernel_.columns)
            for (Index i = 0; i < rows; i += kernel_.rows) {
                kernel_.multiply(depth, strips_a_.data() + i * depth, strips_b_.data() + j * depth, tile);
                const Index tile_rows = std::min<Index>(kernel_.rows, rows - i);
                const Index tile_columns = std::min<Index>(kernel_.columns, columns - j);
                for (Index ii = 0; ii < tile_rows; ++ii)
                    for (Index jj = 0; jj < tile_columns; ++jj) {
                        T& sum = c.at(i + ii, j + jj);
                        const T value = tile[ii * kernel_.columns + jj];
                        sum = static_cast<T>(subtract ? sum - value : sum + value);
                    }
            }
    }

    const Kernel<T>& kernel_;
    Index rows_, columns_, depth_;
    std::vector<T> strips_a_, strips_b_;
};

// Integers wrap around as in machine arithmetic, without the undefined overflow of signed ones.
template <typename T>
struct ComputedAs {
    using Type = T;
};
template <typename T>
requires std::is_integral_v<T>
struct ComputedAs<T> {
    using Type = std::make_unsigned_t<T>;
};

template <typename T>
void multiply_real(const Product& product) {
    using U = typename ComputedAs<T>::Type;
    BlockedProduct<U>(product.rows, product.columns, product.depth)
        .run({static_cast<const U*>(product.a), product.a_row, 1}, {static_cast<const U*>(product.b), product.b_row, 1},
             {static_cast<U*>(product.c), product.c_row, 1}, false);
}

// Four products of real matrices: complex numbers are pairs.
template <typename T>
void multiply_complex(const Product& product) {
    const auto part = [](const void* matrix, Index row, int which) {
        return Matrix<const T>{static_cast<const T*>(matrix) + which, 2 * row, 2};
    };
    BlockedProduct<T> blocked(product.rows, product.columns, product.depth);
    for (const int of_a : {0, 1})
        for (const int of_b : {0, 1})
            blocked.run(part(product.a, product.a_row, of_a), part(product.b, product.b_row, of_b),
                        {static_cast<T*>(product.c) + (of_a ^ of_b), 2 * product.c_row, 2}, of_a == 1 && of_b == 1);
}

// ---- BLAS ----

// Integers of 64 bits serve both kinds of BLAS: on machines whose lower bytes come first, one with 32 bits reads the lower
// half.
using Gemm = void(const char* transposed_a, const char* transposed_b, const std::int64_t* rows, const std::int64_t* columns,
                  const std::int64_t* depth, const void* alpha, const void* a, const std::int64_t* a_column, const void* b,
                  const std::int64_t* b_column, const void* beta, void* c, const std::int64_t* c_column, std::size_t,
                  std::size_t);

template <typename T>
constexpr const char* gemm_name() {
    if constexpr (std::is_same_v<T, float>) return "sgemm_";
    if constexpr (std::is_same_v<T, double>) return "dgemm_";
    if constexpr (std::is_same_v<T, std::complex<float>>) return "cgemm_";
    if constexpr (std::is_same_v<T, std::complex<double>>) return "zgemm_";
    return nullptr;
}

template <typename T>
Gemm* gemm() {
    static Gemm* const found = reinterpret_cast<Gemm*>(dlsym(RTLD_DEFAULT, gemm_name<T>()));
    return found;
}

// BLAS knows columns: in columns, the same memory is the transposes, and (a b)' = b' a'.
template <typename T>
void multiply_by_blas(const Product& product) {
    const T one(1);
    const std::int64_t rows = product.rows, columns = product.columns, depth = product.depth;
    const std::int64_t a_row = product.a_row, b_row = product.b_row, c_row = product.c_row;
    gemm<T>()("N", "N", &columns, &rows, &depth, &one, product.b, &b_row, product.a, &a_row, &one, product.c, &c_row, 1, 1);
}

}  // namespace

Multiply own_multiply_of(int type) {
    return elements::with_type(type, [](auto zero) -> Multiply {
        using T = decltype(zero);
        if constexpr (std::is_same_v<T, bool>)
            return nullptr;
        else if constexpr (is_complex<T>)
            return multiply_complex<typename T::value_type>;
        else
            return multiply_real<T>;
    });
}

Multiply multiply_of(int type) {
    const Multiply by_blas = elements::with_type(type, [](auto zero) -> Multiply {
        using T = decltype(zero);
        if constexpr (gemm_name<T>() == nullptr)
            return nullptr;
        else
            return gemm<T>() != nullptr ? multiply_by_blas<T> : nullptr;
    });
    return by_blas != nullptr ? by_blas : own_multiply_of(type);
}

}  // namespace kumihimo::arrays
