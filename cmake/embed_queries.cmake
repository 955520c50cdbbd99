# Writes OUT, a header with one constant per .sql file of FILES, all from one folder.
# A folder `queries` has statements with parameters: src/resources/store/queries/get_store.sql becomes the pg::Query
# shopbell::store::sql::get_store, named "store.get_store".
# A first line `-- timeout: 250ms` sets the query's timeout; the default is in base/limits.h.
# A list in two orders is one file: list_things.sql with a line `-- order: [newest|oldest]` becomes list_newest_things and
# list_oldest_things, the first with the left and the second with the right side of every [left|right] in it.
# A folder `statements` has templates, whose placeholders are filled in: src/resources/exports/statements/products_sold.sql
# becomes the pg::Template shopbell::exports::sql::products_sold. Their comments are dropped, because a template may be
# filled into a line of another.
list(GET FILES 0 first)
set(header "pg/query.h")
if(first MATCHES "/statements/[^/]*$")
  set(header "pg/template.h")
endif()
set(text "// Generated from the .sql files: do not edit.\n#pragma once\n\n#include \"${header}\"\n")

function(add_constant slice constant)
  string(APPEND text "\nnamespace shopbell::${slice}::sql {\n"
         "inline constexpr ${constant};\n"
         "}  // namespace shopbell::${slice}::sql\n")
  set(text "${text}" PARENT_SCOPE)
endfunction()

function(add_query slice query sql)
  set(timeout "kDefaultQueryTimeout")
  if(sql MATCHES "^-- timeout: ([0-9]+)ms\n")
    set(timeout "std::chrono::milliseconds{${CMAKE_MATCH_1}}")
  endif()
  add_constant("${slice}" "pg::Query ${query}{.name = \"${slice}.${query}\", .timeout = ${timeout}, .sql = R\"sql(${sql})sql\"}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

function(add_template slice name sql)
  string(REGEX REPLACE "(^|\n) *--[^\n]*" "\\1" sql "${sql}")
  string(STRIP "${sql}" sql)
  add_constant("${slice}" "pg::Template ${name}{.name = \"${slice}.${name}\", .sql = R\"sql(${sql})sql\"}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

foreach(file ${FILES})
  file(READ "${file}" sql)
  get_filename_component(query "${file}" NAME_WE)
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(folder "${folder}" DIRECTORY)
  get_filename_component(slice "${folder}" NAME)
  if(header STREQUAL "pg/template.h")
    add_template("${slice}" "${query}" "${sql}")
  elseif(sql MATCHES "-- order: \\[newest\\|oldest\\]")
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
