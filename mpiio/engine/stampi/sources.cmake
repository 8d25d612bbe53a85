list(APPEND KUMIHIMO_ENGINE_SOURCES engine/stampi/ahead.cpp engine/stampi/engine.cpp engine/stampi/file.cpp engine/stampi/hints.cpp
     engine/stampi/layouts.cpp engine/stampi/opening.cpp engine/stampi/reading.cpp
     engine/stampi/removing.cpp engine/stampi/way.cpp engine/stampi/writing.cpp)
