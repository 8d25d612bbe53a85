// The product of matrices in one node's memory: BLAS where the program links one, else a blocked kernel of our own.
#pragma once

#include "sets/range.hpp"

namespace kumihimo::arrays {

using sets::Index;

// c += a * b: c has `rows` rows and `columns` columns, a has `depth` columns, b has `depth` rows. All are in rows; *_row
// elements lie between the beginnings of two rows.
struct Product {
    Index rows, columns, depth;
    const void* a;
    Index a_row;
    const void* b;
    Index b_row;
    void* c;
    Index c_row;
};
using Multiply = void (*)(const Product& product);

// Of an element type (XMP_Type): BLAS if the program has one for it. Null where there is no product of numbers.
Multiply multiply_of(int type);
Multiply own_multiply_of(int type);

}  // namespace kumihimo::arrays
