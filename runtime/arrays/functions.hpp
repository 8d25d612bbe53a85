// The array functions of specification 7.9. All are collective over the executing set, take arguments of any layout, read all
// of them before they write, and throw base::Error where the arguments do not fit each other.
#pragma once

#include <vector>

#include "runtime/arrays/operand.hpp"

namespace kumihimo::arrays {

void transpose(const Operand& x, const Operand& a);                                        // x(i, j) = a(j, i)
void matmul(const Operand& x, const Operand& a, const Operand& b);                         // x = a * b
void gather(const Operand& x, const Operand& a, const std::vector<Operand>& subscripts);   // x(...) = a(s1(...), s2(...), ...)
void scatter(const Operand& x, const Operand& a, const std::vector<Operand>& subscripts);  // x(s1(...), s2(...), ...) = a(...)
void pack(const Operand& v, const Operand& a, const Operand* mask);    // the elements that the mask selects, in element order
void unpack(const Operand& a, const Operand& v, const Operand* mask);  // and back; null: all elements
void sort(const Operand& to, const Operand& from, bool descending);

}  // namespace kumihimo::arrays
