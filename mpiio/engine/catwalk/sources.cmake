list(APPEND KUMIHIMO_ENGINE_SOURCES engine/catwalk/engine.cpp engine/catwalk/exchange.cpp
     engine/catwalk/failures.cpp engine/catwalk/file.cpp engine/catwalk/hints.cpp engine/catwalk/kept.cpp engine/catwalk/nodes.cpp
     engine/catwalk/opening.cpp engine/catwalk/prediction.cpp engine/catwalk/reading.cpp engine/catwalk/removing.cpp engine/catwalk/writing.cpp)
