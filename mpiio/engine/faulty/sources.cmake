list(APPEND KUMIHIMO_IO_SOURCES engine/faulty/engine.cpp engine/faulty/plan.cpp)
