# Compilations are kept and found again by ccache where it is installed, also from another clone of the tree. The launcher is one
# word, which can be handed on to the projects that the tests build.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_BINARY_DIR}/compiler-cache)
  file(WRITE ${CMAKE_CXX_COMPILER_LAUNCHER}
    "#!/bin/sh\nCCACHE_BASEDIR='${PROJECT_SOURCE_DIR}' CCACHE_NOHASHDIR=1 exec '${CCACHE}' \"$@\"\n")
  file(CHMOD ${CMAKE_CXX_COMPILER_LAUNCHER} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
