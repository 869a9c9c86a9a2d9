# OpenBLAS with the C interfaces of BLAS and LAPACK, as Debian splits them: libopenblas-dev and liblapacke-dev.
# LAPACKE's Fortran symbols resolve to OpenBLAS's own LAPACK because OpenBLAS is linked first.
find_path(OpenBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread)
find_path(LAPACKE_INCLUDE_DIR lapacke.h)
find_library(OpenBLAS_LIBRARY openblas)
find_library(LAPACKE_LIBRARY lapacke)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS
  REQUIRED_VARS OpenBLAS_LIBRARY LAPACKE_LIBRARY OpenBLAS_INCLUDE_DIR LAPACKE_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libopenblas-dev and liblapacke-dev")

if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  target_include_directories(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
  target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARY} ${LAPACKE_LIBRARY})
endif()
mark_as_advanced(OpenBLAS_INCLUDE_DIR LAPACKE_INCLUDE_DIR OpenBLAS_LIBRARY LAPACKE_LIBRARY)
