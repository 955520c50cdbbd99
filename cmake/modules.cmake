# Functions that turn a folder under src/ into a library, its *.sql files into constants, and its *_test.cc files into
# tests.

# shopbell_pch(HEADER): the precompiled header that all targets share.
function(shopbell_pch header)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/pch.cc.in "// carries the precompiled header\n")
  file(COPY_FILE ${CMAKE_BINARY_DIR}/generated/pch.cc.in ${CMAKE_BINARY_DIR}/generated/pch.cc ONLY_IF_DIFFERENT)
  add_library(sb_pch OBJECT ${CMAKE_BINARY_DIR}/generated/pch.cc)
  target_precompile_headers(sb_pch PRIVATE ${CMAKE_SOURCE_DIR}/${header})
  # A precompiled header contains its build directory, so ccache would find nothing that another checkout has compiled.
  # It takes this file for the checksum instead. The flags, and all headers within, are compared as ever.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${header})
  file(SHA256 ${CMAKE_SOURCE_DIR}/${header} checksum)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(suffix gch)
  else()
    set(suffix pch)
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/sb_pch.dir/cmake_pch.hxx.${suffix}.sum
       "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${checksum}\n")
endfunction()

# shopbell_group(TARGET): unity build with SHOPBELL_GROUP on: eight files of one folder are compiled together, so that
# common templates, mostly of Asio, are instantiated once for all eight.
function(shopbell_group target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  set(folder_before none)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL folder_before)
      set(number 0)
      set(folder_before ${folder})
    endif()
    math(EXPR group "${number} / 8")
    math(EXPR number "${number} + 1")
    get_filename_component(name "${folder}" NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SHOPBELL_GROUP} UNITY_BUILD_MODE GROUP)
endfunction()

# shopbell_target(TARGET USES modules… LIBRARIES others…): sets a target's include paths, precompiled header and
# libraries.
function(shopbell_target target)
  cmake_parse_arguments(arg "" "" "USES;LIBRARIES" ${ARGN})
  shopbell_group(${target})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
  target_precompile_headers(${target} REUSE_FROM sb_pch)
  list(TRANSFORM arg_USES PREPEND sb_)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${arg_LIBRARIES})
endfunction()

# shopbell_module(NAME [RECURSE] USES modules… LIBRARIES others…): builds src/NAME as the static library sb_NAME.
# Files with the suffixes _test, _pgtest, _s3test, _kafkatest, _fuzz and _bench are not part of the library.
function(shopbell_module name)
  cmake_parse_arguments(arg "RECURSE" "" "USES;LIBRARIES" ${ARGN})
  set(glob GLOB)
  if(arg_RECURSE)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  foreach(kind test pgtest s3test kafkatest fuzz bench)
    set(of_kind ${sources})
    list(FILTER of_kind INCLUDE REGEX "_${kind}\\.cc$")
    set_property(GLOBAL APPEND PROPERTY shopbell_${kind} ${of_kind})
    list(FILTER sources EXCLUDE REGEX "_${kind}\\.cc$")
  endforeach()
  add_library(sb_${name} STATIC ${sources})
  shopbell_target(sb_${name} USES ${arg_USES} LIBRARIES ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY shopbell_modules ${name})

  shopbell_queries(${name})
endfunction()

# shopbell_queries(MODULE): generates a header from each folder `queries` or `statements` below src/MODULE, at the same
# path in the build directory: src/resources/store/queries/*.sql become the constants of "resources/store/queries.h".
function(shopbell_queries module)
  file(GLOB_RECURSE queries CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${module}/*.sql)
  set(folders)
  foreach(query ${queries})
    get_filename_component(folder ${query} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(headers)
  foreach(folder ${folders})
    file(GLOB files ${folder}/*.sql)
    file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR}/src ${folder})
    set(header ${CMAKE_BINARY_DIR}/generated/${place}.h)
    add_custom_command(
      OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -DOUT=${header} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_queries.cmake
      DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_queries.cmake
      VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  if(headers)
    target_sources(sb_${module} PRIVATE ${headers})
    # Tests of the module use its queries too, so the headers are generated before anything that links it.
    add_custom_target(${module}_queries DEPENDS ${headers})
    add_dependencies(sb_${module} ${module}_queries)
  endif()
endfunction()

# shopbell_embed_migrations(DIR INTO MODULE): compiles the migration files into the binary as constants.
function(shopbell_embed_migrations dir into module)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/[0-9]*.sql)
  set(header ${CMAKE_BINARY_DIR}/generated/migrations.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DOUT=${header} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_migrations.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_migrations.cmake
    VERBATIM)
  target_sources(sb_${module} PRIVATE ${header})
endfunction()

# shopbell_embed_recipes(DIR INTO MODULE): compiles the workflow files of a folder into the binary as constants.
function(shopbell_embed_recipes dir into module)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*.yaml)
  set(header ${CMAKE_BINARY_DIR}/generated/recipes.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DOUT=${header} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_recipes.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_recipes.cmake
    VERBATIM)
  target_sources(sb_${module} PRIVATE ${header})
endfunction()

# shopbell_tests(): builds one test executable per suffix.
function(shopbell_tests)
  get_property(modules GLOBAL PROPERTY shopbell_modules)
  find_package(GTest REQUIRED)

  get_property(unit GLOBAL PROPERTY shopbell_test)
  add_executable(unit_tests EXCLUDE_FROM_ALL ${unit})
  shopbell_target(unit_tests USES ${modules} LIBRARIES GTest::gtest_main rapidcheck)

  get_property(pg GLOBAL PROPERTY shopbell_pgtest)
  add_executable(pg_tests EXCLUDE_FROM_ALL ${pg})
  shopbell_target(pg_tests USES ${modules} LIBRARIES GTest::gtest_main)

  # thread_tests has the tests of code that several threads share; it is built with ThreadSanitizer.
  set(threaded ${unit} ${pg})
  list(FILTER threaded INCLUDE REGEX
       "/src/(runtime|observe|net|pg|kafka|storage|rates|event_log|jobs|stream|http/server|resources/(keys|webhooks|custom_events))/")
  add_executable(thread_tests EXCLUDE_FROM_ALL ${threaded})
  shopbell_target(thread_tests USES ${modules} LIBRARIES GTest::gtest_main rapidcheck)

  get_property(s3 GLOBAL PROPERTY shopbell_s3test)
  add_executable(s3_tests EXCLUDE_FROM_ALL ${s3})
  shopbell_target(s3_tests USES storage testing LIBRARIES GTest::gtest_main)

  get_property(kafka GLOBAL PROPERTY shopbell_kafkatest)
  add_executable(kafka_tests EXCLUDE_FROM_ALL ${kafka} ${CMAKE_SOURCE_DIR}/src/testing/process.cc)
  shopbell_target(kafka_tests USES kafka LIBRARIES GTest::gtest_main)

  if(SHOPBELL_FUZZ)
    get_property(fuzzers GLOBAL PROPERTY shopbell_fuzz)
    add_custom_target(fuzzers)
    foreach(source ${fuzzers})
      get_filename_component(fuzzer ${source} NAME_WE)
      add_executable(${fuzzer} EXCLUDE_FROM_ALL ${source})
      shopbell_target(${fuzzer} USES json csv liquid http resources)
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${fuzzer})
    endforeach()
  endif()
endfunction()
