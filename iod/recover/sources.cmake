list(APPEND KUMIHIMO_IOD_SOURCES recover/journal_reader.cpp recover/report.cpp recover/survivors.cpp)
