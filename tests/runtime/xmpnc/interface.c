/* The header is C11 and needs nothing before it. */
#include "kumihimo/xmpnc.h"

const char *xmpnc_text_of_no_error(void);
const char *xmpnc_text_of_no_error(void) { return xmpnc_strerror(NC_NOERR); }
