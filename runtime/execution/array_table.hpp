// Inside runtime/execution only: all arrays of the program, and how to find one by its address.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/execution/objects.hpp"

namespace kumihimo::execution {

struct ArrayTable {
    static ArrayTable& get();
    std::vector<Array*> arrays;                       // declared ones, in the order of declaration
    std::unordered_map<const void*, Array*> by_base;  // allocated ones that own their memory
    std::list<std::unique_ptr<Array>> foreign;        // arguments whose memory is not a global array's; latest first
    std::list<std::unique_ptr<Array>> forgotten;      // views without memory, until no descriptor of generated code is left
};

// An array without memory, as declared.
std::unique_ptr<Array> describe(const ArrayDeclaration& declaration);
std::vector<sets::Alignment> alignment_of(const ArrayDeclaration& declaration);
std::vector<sets::Shadow> shadow_of(const ArrayDeclaration& declaration);
bool same_bounds(const Array& array, const XMP_Bounds* bounds);  // both are known
// Fills in mapping, dimensions, set (but no memory) for these bounds; throws what the user did wrong.
void map_array(Array& array, const XMP_Bounds* bounds);
// Makes `base` the first element.
void set_base(Array& array, void* base);
// The same, of memory that is another array's: other nodes are reached as there.
void share_memory(Array& array, const Array& with, void* base);

}  // namespace kumihimo::execution
