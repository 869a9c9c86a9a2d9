# The install tree: library, headers, program, and a config that find_package(landfall) reads.
include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/landfall)

install(TARGETS landfall EXPORT landfallTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/landfall DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN report EXCLUDE PATTERN mpi EXCLUDE)  # not .ipp files, and what is of the program
if(TARGET landfall_mpi)  # find_package(landfall COMPONENTS mpi)
  install(TARGETS landfall_mpi EXPORT landfallMpiTargets)
  install(FILES ${PROJECT_SOURCE_DIR}/src/landfall/mpi/mpi_communicator.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/landfall/mpi)
  install(EXPORT landfallMpiTargets NAMESPACE landfall:: DESTINATION ${config_dir})
endif()
if(TARGET landfall_mpi_module)
  install(TARGETS landfall_mpi_module DESTINATION ${CMAKE_INSTALL_LIBDIR}/landfall)
endif()
install(EXPORT landfallTargets NAMESPACE landfall:: DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/landfallConfig.cmake.in
  ${PROJECT_BINARY_DIR}/landfallConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/landfallConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/landfallConfig.cmake ${PROJECT_BINARY_DIR}/landfallConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindHDF5Serial.cmake ${PROJECT_SOURCE_DIR}/cmake/FindOpenBLAS.cmake
        DESTINATION ${config_dir})
if(TARGET landfall_cli)
  install(TARGETS landfall_cli)
  # What shells and man read is made by the program itself, of its own table of options.
  function(install_made file folder)
    install(CODE "execute_process(COMMAND $<TARGET_FILE:landfall_cli> ${ARGN} OUTPUT_FILE \"${PROJECT_BINARY_DIR}/${file}\"
                                  COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${folder})
  endfunction()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bash)  # the program itself has that name
  install_made(bash/landfall ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
  install_made(_landfall ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
  install_made(landfall.1 ${CMAKE_INSTALL_MANDIR}/man1 man)
endif()
