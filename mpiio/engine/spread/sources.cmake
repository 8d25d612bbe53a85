list(APPEND KUMIHIMO_ENGINE_SOURCES engine/spread/engine.cpp engine/spread/file.cpp engine/spread/pieces.cpp)
