#include "report/figure_svg.hpp"

#include <landfall/errors.hpp>
#include <landfall/run/run_folder.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace landfall::app {
namespace {

constexpr double kWidth = 640, kHeight = 300;
constexpr std::string_view kInk = "#1b2430", kQuiet = "#5d6b7c", kLine = "#e6ebf0";
constexpr std::array<std::string_view, 10> kColours{"#1f6feb", "#d1582b", "#1a8f5c", "#8a4fd3", "#c2920a",
                                                    "#0e8fa8", "#cf3d7f", "#6b7684", "#7a8b1c", "#8c5a3c"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32)
      result += c;
  }
  return result;
}

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;  // not within a character of UTF-8
  return text.substr(0, end) + "…";
}

std::string_view colour_of(const Json& series, std::size_t i) {
  return kColours[series.value("colour", i) % kColours.size()];
}

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Steps of 1, 2 or 5 times a power of ten from below `low` to above `high`.
std::vector<double> ticks(double low, double high) {
  if (!(high > low)) {
    const double room = std::max(1e-12, std::abs(low) * 0.01);
    low -= room;
    high += room;
  }
  const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
  std::vector<double> list;
  const double first = std::floor(low / step) * step;
  for (int k = 0; k < 20; ++k) {
    const double at = first + k * step;
    list.push_back(std::abs(at) < step * 1e-9 ? 0 : at);
    if (at >= high) break;
  }
  return list;
}

/// The place of values between two ends, on a plain or a logarithmic axis.
struct Axis {
  double from = 0, to = 1;  // pixels
  std::vector<double> marks;
  bool log = false;

  Axis(double first, double last, std::vector<double> values, bool logarithmic)
      : from(first), to(last), log(logarithmic) {
    std::erase_if(values, [&](double value) { return !std::isfinite(value) || (log && !(value > 0)); });
    if (values.empty()) values = {1};
    auto [low, high] = std::ranges::minmax(values);
    if (!log) {
      marks = ticks(low, high);
      return;
    }
    const int bottom = static_cast<int>(std::floor(std::log10(low))),
              top = static_cast<int>(std::ceil(std::log10(high)));
    const int step = std::max(1, (top - bottom) / 6);
    for (int k = bottom; k <= std::max(top, bottom + 1); k += step) marks.push_back(std::pow(10.0, k));
    if (marks.back() < high) marks.push_back(std::pow(10.0, top));
  }
  double operator()(double value) const {
    const auto scaled = [&](double v) { return log ? std::log10(v) : v; };
    return from + (to - from) * (scaled(value) - scaled(marks.front())) /
                      (scaled(marks.back()) - scaled(marks.front()));
  }
  bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
};

class Drawing {
 public:
  Drawing(double width, double height, const std::string& title, const std::string& label)
      : text_(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" data-landfall=\"figure\" width=\"{0}\" height=\"{1}\" "
            "viewBox=\"0 0 {0} {1}\" role=\"img\" "
            "font-family=\"system-ui, Helvetica, Arial, sans-serif\" "
            "font-size=\"12\">\n<title>{2}</title>\n<desc>{3}</desc>\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
            width, height, escaped(title), escaped(label))) {
    write(16, 22, title, "start", kInk, "font-size=\"14\" font-weight=\"600\"");
  }

  void line(double x1, double y1, double x2, double y2, std::string_view colour) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
                         x1, y1, x2, y2, colour);
  }
  void rect(double x, double y, double width, double height, std::string_view colour, double opacity = 1) {
    text_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"{}\"/>\n",
        x, y, std::max(width, 0.5), std::max(height, 0.5), colour, opacity);
  }
  void dot(double x, double y, double radius, std::string_view colour) {
    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"0.7\"/>\n",
                         x, y, radius, colour);
  }
  void ring(double x, double y, double radius) {
    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
                         x, y, radius, kQuiet);
  }
  void path(const std::vector<std::pair<double, double>>& points, std::string_view colour) {
    if (points.empty()) return;
    text_ += "<polyline fill=\"none\" stroke-width=\"1.5\" points=\"";
    for (const auto& [x, y] : points) text_ += fmt::format("{:.1f},{:.1f} ", x, y);
    text_ += fmt::format("\" stroke=\"{}\"/>\n", colour);
  }
  void write(double x, double y, const std::string& words, std::string_view anchor,
             std::string_view colour = kQuiet, std::string_view more = "") {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" {}>{}</text>\n", x,
                         y, anchor, colour, more, escaped(words));
  }
  std::string finish() { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

std::string mark_text(double value) {
  return fmt::format("{:.4g}", value);
}

/// Names with their colours, below the title.
void legend(Drawing& drawing, const Json& series) {
  if (series.size() < 2) return;
  double x = 16;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string name = shortened(series[i].value("name", std::string()), 24);
    drawing.rect(x, 33, 10, 10, colour_of(series[i], i), series[i].value("faint", false) ? 0.45 : 1);
    drawing.write(x + 14, 42, name, "start", kInk);
    x += 30 + 6.8 * static_cast<double>(name.size());
  }
}

constexpr double kLeft = 66, kRight = kWidth - 18, kTop = 56, kBottom = kHeight - 44;

void value_axis(Drawing& drawing, const Axis& axis, const std::string& label) {
  for (const double mark : axis.marks) {
    drawing.line(kLeft, axis(mark), kRight, axis(mark), kLine);
    drawing.write(kLeft - 6, axis(mark) + 4, mark_text(mark), "end");
  }
  if (!label.empty())
    drawing.write(14, (kTop + kBottom) / 2, label, "middle", kQuiet,
                  fmt::format("transform=\"rotate(-90 14 {:.1f})\"", (kTop + kBottom) / 2));
}

void x_axis(Drawing& drawing, const Axis& axis, const std::string& label, double bottom = kBottom) {
  for (const double mark : axis.marks) drawing.write(axis(mark), bottom + 18, mark_text(mark), "middle");
  drawing.write((kLeft + kRight) / 2, bottom + 36, label, "middle");
}

std::string label_of(const Json& chart, const char* key) {
  const auto at = chart.find(key);
  return at != chart.end() && at->is_string() ? at->get<std::string>() : "";
}

std::vector<double> all_of(const Json& chart, const char* key) {
  std::vector<double> values;
  for (const auto& series : chart.at("series"))
    for (const auto& value : series.contains(key) ? series.at(key) : chart.at(key))
      values.push_back(number_of(value));
  return values;
}

void draw_lines(Drawing& drawing, const Json& chart) {
  const Axis x(kLeft, kRight, all_of(chart, "x"), chart.value("log_x", false));
  const Axis y(kBottom, kTop, all_of(chart, "y"), chart.value("log_y", false));
  value_axis(drawing, y, label_of(chart, "y_label"));
  x_axis(drawing, x, label_of(chart, "x_label"));
  legend(drawing, chart.at("series"));
  std::size_t i = 0;
  for (const auto& series : chart.at("series")) {
    const Json& xs = series.contains("x") ? series.at("x") : chart.at("x");
    std::vector<std::pair<double, double>> points;
    for (std::size_t k = 0; k < series.at("y").size(); ++k) {
      const double a = number_of(xs.at(k)), b = number_of(series.at("y").at(k));
      if (x.shows(a) && y.shows(b)) points.emplace_back(x(a), y(b));
    }
    drawing.path(points, colour_of(series, i++));
  }
}

void draw_bars(Drawing& drawing, const Json& chart) {
  std::vector<double> values = all_of(chart, "y");
  values.push_back(0);
  const Axis y(kBottom, kTop, values, false);
  value_axis(drawing, y, label_of(chart, "y_label"));
  legend(drawing, chart.at("series"));
  const std::size_t count = chart.at("x").size(), groups = chart.at("series").size();
  const double step = (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(count, 1)),
               group = std::min(0.72 * step, 90.0);
  const auto every = static_cast<std::size_t>(std::ceil(30 / step));
  for (std::size_t k = 0; k < count; ++k) {
    const double middle = kLeft + step * (static_cast<double>(k) + 0.5);
    if (k % every == 0)
      drawing.write(middle, kBottom + 18, shortened(chart.at("x").at(k).get<std::string>(), 12), "middle");
    for (std::size_t s = 0; s < groups; ++s) {
      const Json& series = chart.at("series").at(s);
      const double value = k < series.at("y").size() ? number_of(series.at("y").at(k)) : number_of(Json());
      if (!std::isfinite(value)) continue;
      const double width = group / static_cast<double>(groups),
                   x = middle - group / 2 + width * static_cast<double>(s);
      drawing.rect(x + 1, std::min(y(value), y(0)), width - 2, std::abs(y(value) - y(0)),
                   colour_of(series, s), series.value("faint", false) ? 0.45 : 1);
      if (width > 34)
        drawing.write(x + width / 2, value < 0 ? y(value) + 13 : y(value) - 4, fmt::format("{:.3g}", value),
                      "middle", kInk, "font-size=\"10\"");
    }
  }
  drawing.write((kLeft + kRight) / 2, kBottom + 36, label_of(chart, "x_label"), "middle");
}

void draw_points(Drawing& drawing, const Json& chart) {
  const Axis x(kLeft, kRight, all_of(chart, "x"), false), y(kBottom, kTop, all_of(chart, "y"), false);
  value_axis(drawing, y, label_of(chart, "y_label"));
  x_axis(drawing, x, label_of(chart, "x_label"));
  legend(drawing, chart.at("series"));
  std::size_t i = 0;
  for (const auto& series : chart.at("series")) {
    for (std::size_t k = 0; k < series.at("x").size(); ++k) {
      const double a = number_of(series.at("x").at(k)), b = number_of(series.at("y").at(k));
      if (x.shows(a) && y.shows(b)) drawing.dot(x(a), y(b), 2, colour_of(series, i));
    }
    ++i;
  }
}

void draw_names(Drawing& drawing, const Json& chart) {
  const Json& values = chart.at("values");
  double most = chart.value("most", 0.0);
  for (const auto& value : values) most = std::max(most, std::abs(number_of(value)));
  constexpr double kMiddle = 400, kHalf = 150;
  drawing.line(kMiddle, 40, kMiddle, 48 + 22 * static_cast<double>(values.size()), kLine);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = number_of(values.at(k)), y = 46 + 22 * static_cast<double>(k),
                 size = most > 0 ? kHalf * std::abs(value) / most : 0;
    drawing.write(kMiddle - kHalf - 12, y + 12, shortened(chart.at("names").at(k).get<std::string>(), 32),
                  "end", kInk);
    drawing.rect(value < 0 ? kMiddle - size : kMiddle, y + 2, size, 13,
                 value < 0 ? kColours[1] : kColours[0]);
    drawing.write(kMiddle + kHalf + 66, y + 12, fmt::format("{:.4g}", value), "end");
  }
}

void draw_circle(Drawing& drawing, const Json& chart) {
  constexpr double kX = 320, kY = 300, kRadius = 230;
  constexpr std::size_t kLabels = 12;  // of each series
  drawing.line(kX - kRadius, kY, kX + kRadius, kY, kLine);
  drawing.line(kX, kY - kRadius, kX, kY + kRadius, kLine);
  drawing.ring(kX, kY, kRadius);
  drawing.ring(kX, kY, kRadius / 2);
  legend(drawing, chart.at("series"));
  std::size_t i = 0;
  struct Box {
    double x, y, width;
  };
  std::vector<Box> taken;  // by labels
  const auto is_free = [&taken](const Box& box) {
    return std::ranges::none_of(taken, [&box](const Box& other) {
      return box.x < other.x + other.width && other.x < box.x + box.width && std::abs(box.y - other.y) < 11;
    });
  };
  for (const auto& series : chart.at("series")) {
    const std::string_view colour = colour_of(series, i++);
    for (std::size_t k = 0; k < series.at("x").size(); ++k) {
      const double a = number_of(series.at("x").at(k)), b = number_of(series.at("y").at(k));
      const double x = kX + kRadius * a, y = kY - kRadius * b;
      drawing.dot(x, y, 3.5, colour);
      if (k >= kLabels) continue;
      const std::string name = shortened(series.at("names").at(k).get<std::string>(), 22);
      const double width = 6.8 * static_cast<double>(name.size());
      for (const bool before :
           {a < 0, a >= 0}) {  // away from the middle, or the other way where that is taken
        const Box box{before ? x - 7 - width : x + 7, y, width};
        if (!is_free(box)) continue;
        taken.push_back(box);
        drawing.write(before ? x - 7 : x + 7, y + 4, name, before ? "end" : "start", kInk,
                      "font-size=\"11\"");
        break;
      }
    }
  }
  drawing.write(kX, kY + kRadius + 18, label_of(chart, "x_label"), "middle");
  drawing.write(kX, kY - kRadius - 8, label_of(chart, "y_label"), "middle");
}

std::string file_part(const std::string& text) {
  std::string part;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!part.empty() && part.back() != '-')
      part += '-';
  while (!part.empty() && part.back() == '-') part.pop_back();
  return part.substr(0, 60);
}

}  // namespace

std::string figure_svg(const Json& chart) {
  const std::string kind = chart.at("kind");
  double height = kHeight;
  if (kind == "names") height = 60 + 22 * static_cast<double>(chart.at("values").size());
  if (kind == "circle") height = 560;
  Drawing drawing(kWidth, height, chart.at("title"), chart.value("label", std::string()));
  if (kind == "line" || kind == "trace")
    draw_lines(drawing, chart);
  else if (kind == "bar")
    draw_bars(drawing, chart);
  else if (kind == "scatter")
    draw_points(drawing, chart);
  else if (kind == "names")
    draw_names(drawing, chart);
  else if (kind == "circle")
    draw_circle(drawing, chart);
  else
    throw UsageError(fmt::format("a chart of kind '{}' cannot be drawn", kind));
  return drawing.finish();
}

std::vector<std::filesystem::path> write_figures(const std::filesystem::path& folder, const Json& page) {
  std::vector<std::filesystem::path> files;
  std::map<std::string, int> seen;
  std::filesystem::create_directories(folder);
  for (const auto& section : page.at("sections")) {
    if (!section.contains("charts")) continue;
    for (const auto& chart : section.at("charts")) {
      std::string name =
          file_part(section.at("heading").get<std::string>() + "-" + chart.at("title").get<std::string>());
      if (const int again = seen[name]++; again > 0) name += fmt::format("-{}", again + 1);
      files.push_back(folder / (name + ".svg"));
      write_text(files.back(), figure_svg(chart));
    }
  }
  return files;
}

}  // namespace landfall::app
