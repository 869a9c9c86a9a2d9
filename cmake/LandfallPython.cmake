# Python, numpy and pybind11: Debian's python3-dev, python3-numpy and pybind11-dev. Of several Pythons Debian's own is
# taken, which has numpy; -DPython_EXECUTABLE names another. Where something is missing the rest is built without the package.
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module NumPy)
if(Python_FOUND)
  set(PYTHON_EXECUTABLE ${Python_EXECUTABLE})
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 2.10 QUIET)
endif()
add_custom_target(landfall_python_package)  # what `make build` asks for, also where it is nothing
if(Python_FOUND AND pybind11_FOUND)
  add_subdirectory(${PROJECT_SOURCE_DIR}/python ${PROJECT_BINARY_DIR}/python-build)
  add_dependencies(landfall_python_package landfall_python_files)
else()
  message(STATUS "The Python package is not built: install python3-dev, python3-numpy and pybind11-dev")
endif()
