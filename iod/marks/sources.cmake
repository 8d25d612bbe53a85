list(APPEND KUMIHIMO_IOD_SOURCES marks/directory.cpp marks/mark_name.cpp marks/marker.cpp marks/marks.cpp marks/place.cpp)
