# The C library of HDF5 without MPI: Debian's libhdf5-dev. CMake's own FindHDF5 compiles C programs, so it does not work in
# a project of C++ alone, nor in one that uses Landfall.
find_path(HDF5Serial_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libhdf5-dev")

if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::HDF5)
  add_library(HDF5Serial::HDF5 INTERFACE IMPORTED)
  target_include_directories(HDF5Serial::HDF5 INTERFACE ${HDF5Serial_INCLUDE_DIR})
  target_link_libraries(HDF5Serial::HDF5 INTERFACE ${HDF5Serial_LIBRARY})
endif()
mark_as_advanced(HDF5Serial_INCLUDE_DIR HDF5Serial_LIBRARY)
