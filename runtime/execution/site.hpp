// Where the program is: the sites that generated code passes, for messages.
#pragma once

#include <string>

#include "kumihimo/generated.h"

namespace kumihimo::execution {

// "program.c:7: #pragma xmp barrier", or a function's name.
std::string place_text(const XMP_Site& site);

// The site of a function of xmp.h that is called now: that of XMP_Call right before, else its name alone.
XMP_Site site_of_call(const char* function);

}  // namespace kumihimo::execution
