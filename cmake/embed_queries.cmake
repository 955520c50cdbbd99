# Writes OUT, a header with one pg::Query constant per .sql file of FILES, which lie in one folder.
# src/resources/store/queries/get_store.sql becomes shopbell::store::sql::get_store, named "store.get_store".
# A first line `-- timeout: 250ms` bounds the query; without it the default of base/limits.h holds.
set(text "// Generated from the .sql files: do not edit.\n#pragma once\n\n#include \"pg/query.h\"\n")
foreach(file ${FILES})
  file(READ "${file}" sql)
  get_filename_component(query "${file}" NAME_WE)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(folder "${folder}" DIRECTORY)
  get_filename_component(slice "${folder}" NAME)
  set(timeout "kDefaultQueryTimeout")
  if(sql MATCHES "^-- timeout: ([0-9]+)ms\n")
    set(timeout "std::chrono::milliseconds{${CMAKE_MATCH_1}}")
  endif()
  string(APPEND text "\nnamespace shopbell::${slice}::sql {\n"
         "inline constexpr pg::Query ${query}{.name = \"${slice}.${query}\", .timeout = ${timeout}, .sql = R\"sql(${sql})sql\"};\n"
         "}  // namespace shopbell::${slice}::sql\n")
endforeach()
file(WRITE "${OUT}" "${text}")
