# The module that our own program loads where mpirun has started it. It needs nothing of the library but headers, and must not bring
# a second copy of it into the program.
add_library(landfall_mpi_module MODULE ${CMAKE_CURRENT_LIST_DIR}/mpi_module.cpp ${CMAKE_CURRENT_LIST_DIR}/mpi_communicator.cpp)
landfall_target(landfall_mpi_module)
target_include_directories(landfall_mpi_module PRIVATE ${CMAKE_CURRENT_LIST_DIR}/../..)
target_link_libraries(landfall_mpi_module PRIVATE MPI::MPI_CXX)
target_compile_definitions(landfall_mpi_module PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # as landfall::mpi
set_target_properties(landfall_mpi_module PROPERTIES OUTPUT_NAME landfall_mpi PREFIX "")
