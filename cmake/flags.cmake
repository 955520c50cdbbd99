# Compiler, linker and sanitizer flags. All targets share them, so that one precompiled header serves all.
option(SHOPBELL_HARDEN "hardening flags of the shipped binary" OFF)
option(SHOPBELL_FUZZ "build the libFuzzer targets" OFF)
option(SHOPBELL_COVERAGE "instrument for gcov" OFF)
option(SHOPBELL_GROUP "compile several files of a folder at a time" ON)
set(SHOPBELL_SANITIZE "" CACHE STRING "value of -fsanitize=")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# CMAKE_POSITION_INDEPENDENT_CODE stays unset: Debian's compilers build position-independent executables by default, and
# setting it would require a second precompiled header.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

find_program(ccache_program ccache)
if(ccache_program)
  # shopbell_pch writes the checksum that CCACHE_PCH_EXTSUM reads.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${ccache_program})
endif()

# g++ reports a false mismatch if it inlines Asio's allocation of a coroutine but not its deallocation.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wno-missing-field-initializers -Wno-mismatched-new-delete -Werror -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
  # In a unity build, g++ treats the grouped files as headers and warns about anonymous namespaces in them.
  if(SHOPBELL_GROUP)
    add_compile_options(-Wno-subobject-linkage)
  endif()
else()
  # RapidCheck's headers use features that C++23 deprecates; clang reports them at our instantiations.
  add_compile_options(-fpch-instantiate-templates -Xclang -fno-pch-timestamp -Wno-deprecated-declarations)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
if(SHOPBELL_SANITIZE STREQUAL thread)  # few tests use this build: compiling takes longer than running them
  set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

add_compile_definitions(BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_NO_TS_EXECUTORS
                        SPDLOG_COMPILED_LIB SPDLOG_SHARED_LIB SPDLOG_FMT_EXTERNAL)
add_link_options(-fuse-ld=mold)

if(SHOPBELL_SANITIZE)
  add_compile_options(-fsanitize=${SHOPBELL_SANITIZE} -fno-sanitize-recover=all)
  if(SHOPBELL_SANITIZE MATCHES undefined)
    # These checks take a quarter of the compile time. AddressSanitizer finds the same errors (use of a null or freed
    # object), or the code has no such constructs (casts between classes, packed structures).
    add_compile_options(-fno-sanitize=vptr,null,alignment,object-size)
  endif()
  add_link_options(-fsanitize=${SHOPBELL_SANITIZE})
  # Enable the library assertions of the shipped binary: an assertion that would abort the service must fail a test.
  add_compile_options(-D_GLIBCXX_ASSERTIONS)
endif()
if(SHOPBELL_FUZZ)  # the fuzzers need coverage of the branches that an input takes
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(SHOPBELL_HARDEN)
  add_compile_options(-D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection
                      -fcf-protection)
  add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(SHOPBELL_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
