# What one of our programs prints is asked once at build time, so that `kumihimo info` needs no MPI: it becomes a file, made by
# the target `name`. Programs for another processor run in its emulator.
function(kumihimo_table name program file)
  add_custom_command(OUTPUT ${file} DEPENDS ${program} VERBATIM
                     COMMAND sh -c "file=$0 && env -i \"$@\" > \"$file.part\" && mv \"$file.part\" \"$file\""
                             ${file} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  add_custom_target(${name} ALL DEPENDS ${file})
  install(FILES ${file} DESTINATION ${KUMIHIMO_INSTALL_HOME})
endfunction()
