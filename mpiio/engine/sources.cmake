list(APPEND KUMIHIMO_ENGINE_SOURCES engine/details.cpp engine/exchange.cpp engine/failures.cpp engine/groups.cpp
     engine/hints.cpp engine/info.cpp engine/pattern.cpp engine/registry.cpp engine/selection.cpp
     engine/report.cpp engine/settings.cpp engine/team.cpp)
