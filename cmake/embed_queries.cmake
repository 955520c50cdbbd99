# Writes OUT, a header with one pg::Query constant per .sql file of FILES, all from one folder.
# src/resources/store/queries/get_store.sql becomes shopbell::store::sql::get_store, named "store.get_store".
# A first line `-- timeout: 250ms` sets the query's timeout; the default is in base/limits.h.
# A list in two orders is one file: list_things.sql with a line `-- order: [newest|oldest]` becomes list_newest_things and
# list_oldest_things, the first with the left and the second with the right side of every [left|right] in it.
set(text "// Generated from the .sql files: do not edit.\n#pragma once\n\n#include \"pg/query.h\"\n")

function(add_query slice query sql)
  set(timeout "kDefaultQueryTimeout")
  if(sql MATCHES "^-- timeout: ([0-9]+)ms\n")
    set(timeout "std::chrono::milliseconds{${CMAKE_MATCH_1}}")
  endif()
  string(APPEND text "\nnamespace shopbell::${slice}::sql {\n"
         "inline constexpr pg::Query ${query}{.name = \"${slice}.${query}\", .timeout = ${timeout}, .sql = R\"sql(${sql})sql\"};\n"
         "}  // namespace shopbell::${slice}::sql\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()

foreach(file ${FILES})
  file(READ "${file}" sql)
  get_filename_component(query "${file}" NAME_WE)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(folder "${folder}" DIRECTORY)
  get_filename_component(slice "${folder}" NAME)
  if(sql MATCHES "-- order: \\[newest\\|oldest\\]")
    foreach(side 1 2)
      string(REGEX REPLACE "\\[([^]|]*)\\|([^]|]*)\\]" "\\${side}" ordered "${sql}")
      string(REGEX MATCH "-- order: ([a-z]+)" order "${ordered}")
      string(REGEX REPLACE "^list_" "list_${CMAKE_MATCH_1}_" ordered_query "${query}")
      add_query("${slice}" "${ordered_query}" "${ordered}")
    endforeach()
  else()
    add_query("${slice}" "${query}" "${sql}")
  endif()
endforeach()
file(WRITE "${OUT}" "${text}")
