"""Whether tests do what takes minutes (`make test-long`): KUMIHIMO_TEST_LONG is set. long_form.hpp is the same for C++."""

import os

LONG_FORM = bool(os.environ.get("KUMIHIMO_TEST_LONG"))
