# Which files are served, and what lies behind this library in the link order. The entry points themselves are generated.
list(APPEND KUMIHIMO_IO_SOURCES )
