// A datatype in words, for failure messages.
#pragma once

#include <sstream>
#include <string>

#include "mpiio/file/type_contents.hpp"

inline std::string describe(MPI_Datatype type) {
    static const char* const names[] = {"named",    "dup",      "contiguous",    "vector",         "hvector",
                                        "indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
                                        "subarray", "darray",   "resized"};
    static const int combiners[] = {MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
                                    MPI_COMBINER_VECTOR,   MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
                                    MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
                                    MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
                                    MPI_COMBINER_RESIZED};
    if (kumihimo::mpiio::is_predefined(type)) {
        char name[MPI_MAX_OBJECT_NAME];
        int length = 0;
        MPI_Type_get_name(type, name, &length);
        return name;
    }
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    std::ostringstream text;
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (combiners[i] == combiner) text << names[i] << '(';
    std::vector<int> i(static_cast<std::size_t>(integers));
    std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses));
    std::vector<MPI_Datatype> t(static_cast<std::size_t>(types));
    MPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), t.data());
    for (const int value : i) text << value << ' ';
    text << "; ";
    for (const MPI_Aint value : a) text << value << ' ';
    for (MPI_Datatype& part : t) {
        text << "; " << describe(part);
        if (!kumihimo::mpiio::is_predefined(part)) MPI_Type_free(&part);
    }
    return text.str() + ")";
}
