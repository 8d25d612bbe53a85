// A file that lies in several, as a metafile says: put together, taken apart, looked at, removed. Copies get their names when
// their digests agree (copying.hpp); here nothing goes on where it stopped.
#pragma once

#include <optional>

#include "iod/errands/copying.hpp"

namespace kumihimo::iod::errands {

std::optional<std::string> metafile_in(const std::string& name);  // of stampi+meta:METAFILE, which is the whole

// What is done with a file of one place, or with one that lies in several.
template <typename One, typename Several>  // one(place), several(metafile)
auto by_name(const std::string& name, One&& one, Several&& several) {
    const auto metafile = metafile_in(name);
    return metafile ? several(*metafile) : one(place_of(name));
}

Copied gather(const std::string& metafile, const Place& to, const Progress& progress);     // throws Failure
Copied scatter(const Place& from, const std::string& metafile, const Progress& progress);  // throws Failure

Looked look_at_whole(const std::string& metafile);    // the latest change, the least free space of all; throws Failure
Digest digest_of_whole(const std::string& metafile);  // all bytes come here; throws Failure
void remove_whole(const std::string& metafile);       // the metafile stays; throws Failure

}  // namespace kumihimo::iod::errands
