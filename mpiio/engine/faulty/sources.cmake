list(APPEND KUMIHIMO_IO_SOURCES engine/faulty/engine.cpp)
