# ccache keeps compilations where it is installed and finds them again, also from another clone of the tree. The launcher is one
# word, which can be handed on to the projects that the tests build. With precompiled headers ccache needs the sloppiness, and
# GCC the option.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_BINARY_DIR}/compiler-cache)
  file(WRITE ${CMAKE_CXX_COMPILER_LAUNCHER}
    "#!/bin/sh\nexport CCACHE_BASEDIR='${PROJECT_SOURCE_DIR}' CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros\n"
    "exec '${CCACHE}' \"$@\" -fpch-preprocess\n")
  file(CHMOD ${CMAKE_CXX_COMPILER_LAUNCHER} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endif()
