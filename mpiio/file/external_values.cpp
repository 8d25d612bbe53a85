#include "mpiio/file/external_values.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "mpiio/file/conversions.hpp"
#include "mpiio/file/flatten.hpp"

namespace kumihimo::mpiio {

namespace {

ValuePattern values(const Conversion& conversion, Index count) {
    return {count, &conversion, {}, count * conversion.native_bytes, count * conversion.external_bytes};
}

ValuePattern repeated(const ValuePattern& pattern, Index count) {
    if (count == 0 || pattern.count == 0) return {};
    if (pattern.conversion != nullptr) return values(*pattern.conversion, pattern.count * count);
    if (count == 1) return pattern;
    return {count, nullptr, {pattern}, count * pattern.native_bytes, count * pattern.external_bytes};
}

// Values of one kind one after another are one part.
ValuePattern sequence(const std::vector<ValuePattern>& patterns) {
    ValuePattern result{1, nullptr, {}, 0, 0};
    for (const ValuePattern& pattern : patterns) {
        if (pattern.count == 0) continue;
        result.native_bytes += pattern.native_bytes;
        result.external_bytes += pattern.external_bytes;
        const bool same =
            !result.parts.empty() && pattern.conversion != nullptr && result.parts.back().conversion == pattern.conversion;
        if (same)
            result.parts.back() = values(*pattern.conversion, result.parts.back().count + pattern.count);
        else
            result.parts.push_back(pattern);
    }
    if (result.parts.empty()) return {};
    return result.parts.size() == 1 ? ValuePattern(result.parts.front()) : result;
}

// Types that only reverse the order of their bytes have a number of these.
const Conversion& reversed(Index bytes) {
    switch (bytes) {
        case 1:
            return conversions::bytes;
        case 2:
            return conversions::reversed_2;
        case 4:
            return conversions::reversed_4;
        case 8:
            return conversions::reversed_8;
        case 16:
            return conversions::reversed_16;
        default:
            throw std::invalid_argument("external32 has no representation for a basic datatype of " + std::to_string(bytes) +
                                        " bytes");
    }
}

bool is_one_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> list) {
    for (const MPI_Datatype each : list)
        if (type == each && each != MPI_DATATYPE_NULL) return true;
    return false;
}

// Of complex numbers and of pairs of one type.
bool has_two_equal_values(MPI_Datatype type) {
    return is_one_of(type, {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8,
                            MPI_COMPLEX16, MPI_COMPLEX32, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_2INT, MPI_2INTEGER,
                            MPI_2REAL, MPI_2DOUBLE_PRECISION}) ||
           TypeContents(type).combiner() == MPI_COMBINER_F90_COMPLEX;
}

// Of the types of a value and an index.
ValuePattern pair_of(const Conversion& value) {
    return sequence({values(value, 1), values(conversions::reversed_4, 1)});
}

ValuePattern basic(MPI_Datatype type) {
    using namespace conversions;
    const Index bytes = size_of(type);
    if (bytes == 0) return {};
    if (type == MPI_LONG) return values(long_as_4, 1);
    if (type == MPI_UNSIGNED_LONG) return values(unsigned_long_as_4, 1);
    if (type == MPI_WCHAR) return values(wide_character_as_2, 1);
    if (type == MPI_LONG_DOUBLE) return values(long_double, 1);
    if (is_one_of(type, {MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX})) return values(long_double, 2);
    if (type == MPI_SHORT_INT) return pair_of(reversed_2);
    if (type == MPI_FLOAT_INT) return pair_of(reversed_4);
    if (type == MPI_DOUBLE_INT) return pair_of(reversed_8);
    if (type == MPI_LONG_INT) return pair_of(long_as_4);
    if (type == MPI_LONG_DOUBLE_INT) return pair_of(long_double);
    if (has_two_equal_values(type)) return values(reversed(bytes / 2), 2);
    return values(reversed(bytes), 1);
}

ValuePattern structure(TypeContents& contents) {
    const std::vector<Index> lengths = contents.numbers(contents.number());
    std::vector<ValuePattern> parts;
    for (std::size_t i = 0; i < lengths.size(); ++i) parts.push_back(repeated(values_of(contents.types()[i]), lengths[i]));
    return sequence(parts);
}

}  // namespace

ValuePattern values_of(MPI_Datatype type) {
    if (is_predefined(type)) return basic(type);
    TypeContents contents(type);
    if (contents.combiner() == MPI_COMBINER_STRUCT) return structure(contents);
    // Every other constructor takes one type a number of times.
    const ValuePattern element = values_of(contents.types().front());
    return element.count == 0 ? ValuePattern() : repeated(element, size_of(type) / element.native_bytes);
}

}  // namespace kumihimo::mpiio
