list(APPEND KUMIHIMO_ENGINE_SOURCES engine/direct/collective.cpp engine/direct/cost.cpp
     engine/direct/coverage.cpp engine/direct/domains.cpp engine/direct/two_phase.cpp engine/direct/two_phase_exchange.cpp
     engine/direct/engine.cpp engine/direct/hints.cpp engine/direct/independent.cpp engine/direct/log.cpp
     engine/direct/model.cpp engine/direct/opening.cpp engine/direct/pieces.cpp engine/direct/posix.cpp
     engine/direct/write_behind.cpp engine/direct/same_file.cpp engine/direct/shared.cpp engine/direct/state.cpp)
