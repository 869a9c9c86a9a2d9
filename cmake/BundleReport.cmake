# cmake -D WEB=web -D UPLOT=node_modules/uplot -D OUT=page.cpp -P BundleReport.cmake: report.html with every @file@ in it
# replaced by the file's content, as an array of C++ (a string literal may not be that long).
file(READ ${WEB}/report.html page)

function(insert name path)
  file(READ ${path} content)
  string(FIND "${page}" "@${name}@" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "report.html has no place for ${name}")
  endif()
  string(TOLOWER "${content}" lower)
  string(FIND "${lower}" "</script" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${path} would end the script it is put into")
  endif()
  string(REPLACE "@${name}@" "${content}" page "${page}")
  set(page "${page}" PARENT_SCOPE)
endfunction()

insert("uPlot.min.css" ${UPLOT}/dist/uPlot.min.css)
insert("uPlot LICENSE" ${UPLOT}/LICENSE)
insert("uPlot.iife.min.js" ${UPLOT}/dist/uPlot.iife.min.js)
foreach(name report.css elements.js colours.js save.js charts.js scatter.js circle.js images.js page.js)
  insert(${name} ${WEB}/${name})
endforeach()

file(WRITE ${OUT}.html "${page}")
file(READ ${OUT}.html bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................................................)"
       "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <cstddef>
namespace landfall {
extern const char kPage[];
extern const std::size_t kPageSize;
const char kPage[] = {
${bytes}};
const std::size_t kPageSize = sizeof(kPage);
}  // namespace landfall
")
