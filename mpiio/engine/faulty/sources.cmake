list(APPEND KUMIHIMO_ENGINE_SOURCES engine/faulty/engine.cpp)
