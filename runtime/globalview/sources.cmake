# Loops, reductions, reflect, gmove, bcast, barrier, async.
list(APPEND KUMIHIMO_RUNTIME_SOURCES
  globalview/async.cpp globalview/box.cpp globalview/collective.cpp globalview/collective_checks.cpp globalview/gmove.cpp
  globalview/gmove_convert.cpp globalview/gmove_exchange.cpp globalview/gmove_holders.cpp globalview/gmove_one_sided.cpp
  globalview/gmove_plan.cpp globalview/gmove_sides.cpp globalview/halo_channel.cpp globalview/loop.cpp globalview/on_clause.cpp
  globalview/packed_variable.cpp globalview/reflect.cpp globalview/shadow_account.cpp globalview/shadow_checks.cpp
  globalview/shadow_log.cpp globalview/shadow_plan.cpp)
