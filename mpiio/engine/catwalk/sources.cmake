list(APPEND KUMIHIMO_ENGINE_SOURCES engine/catwalk/engine.cpp engine/catwalk/file.cpp engine/catwalk/hints.cpp
     engine/catwalk/kept.cpp engine/catwalk/opening.cpp engine/catwalk/prediction.cpp engine/catwalk/reading.cpp
     engine/catwalk/removing.cpp engine/catwalk/tree.cpp engine/catwalk/writing.cpp)
