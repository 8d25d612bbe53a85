list(APPEND KUMIHIMO_IOD_SOURCES records/cells.cpp records/filled_pages.cpp records/journal_format.cpp records/page_memory.cpp records/queue.cpp records/record_buffer.cpp records/run_merge.cpp
  records/scattered_records.cpp records/sources.cpp records/spill.cpp records/stage.cpp)
