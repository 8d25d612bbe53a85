list(APPEND KUMIHIMO_ENGINE_SOURCES engine/info.cpp engine/noticeboard.cpp engine/pattern.cpp engine/registry.cpp engine/selection.cpp
     engine/settings.cpp engine/team.cpp)
