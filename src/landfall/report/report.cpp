#include <landfall/report/report.hpp>

#include <cstddef>

namespace landfall {

extern const char kPage[];  // page.cpp, which the build makes of web/
extern const std::size_t kPageSize;

std::string report_page(std::string_view json) {
  constexpr std::string_view kPlace = "@data@";
  const std::string_view page(kPage, kPageSize);
  const std::size_t place = page.find(kPlace);
  std::string html(page.substr(0, place));
  html.reserve(page.size() + json.size() + json.size() / 64);
  // Inside <script> only "<" can end the text or begin a comment; in JSON it occurs in strings alone.
  for (const char c : json)
    if (c == '<')
      html += "\\u003c";
    else
      html += c;
  html += page.substr(place + kPlace.size());
  return html;
}

}  // namespace landfall
