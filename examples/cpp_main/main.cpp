// A C++ program whose parallel part is written in C with XcalableMP (table.c).
//
//   make && xmprun -n 4 ./tables
//   cmake -S . -B build -DCMAKE_C_COMPILER=xmpcc -DCMAKE_CXX_COMPILER=xmpcc && cmake --build build
//
// Directives stand in C files only, and C++ calls the functions there. It begins with xmp_init_mpi, which a main in C gets
// from xmpcc without a word; from then on each node runs this main.
#include <xmp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "table.h"

namespace {

struct Curve {
    const char *name;
    double (*function)(double);
    double from, to;
};

const std::vector<Curve> curves = {
    {"bell", [](double x) { return std::exp(-x * x); }, -6, 6},
    {"arch", [](double x) { return std::sqrt(1 - x * x); }, -1, 1},
    {"wave", [](double x) { return x * std::sin(x); }, 0, 10},
};

}  // namespace

int main(int argc, char **argv) {
    xmp_init_mpi(&argc, &argv);
    for (const Curve &curve : curves) {
        std::vector<double> values(TABLE_SIZE);
        table_of(curve.function, curve.from, curve.to, values.data());
        const double integral = table_integral(curve.function, curve.from, curve.to);
        const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
        if (xmpc_all_node_num() == 0)
            std::printf("%s: integral %.9f, from %.6f to %.6f\n", curve.name, integral, *lowest, *highest);
    }
    xmp_finalize_mpi();
    return 0;
}
