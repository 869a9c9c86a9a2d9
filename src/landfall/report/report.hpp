// A report as one HTML file that needs nothing else: charts are drawn by a script that it contains.
//
//   const std::string json = R"({"title": "Two numbers", "sections": [
//     {"heading": "Result", "facts": [{"name": "rows", "value": 60000}]}]})";
//   const std::string html = landfall::report_page(json);
//
// The page is a JSON object. Text is shown as it is, never as markup; numbers are shown by four digits; what is
// marked ? may be left out.
//
//   page     {title, subtitle?, sections: [section], footer?}
//   section  {heading, text?: string or [string], facts?: [{name, value: text, number or [number]}], large?: facts in large type,
//             charts?: [chart], images?, table?, code?: string or [string]}, shown in this order
//   table    {columns: [name], rows: [[value]], best?: [numbers of the rows in bold]}
//   images   {height, width, pictures: [{name, parts: [{name?, values: [height * width, row by row]}]}]}
//   chart    {kind, title, label: a sentence that says what there is to see, wide?: over the full width,
//             x_label?, y_label?, ...}, where kind is
//     line     x?: [number], series: [{name, y: [number or null], x?: its own}], log_x?, log_y?; a series of
//              this or the next kinds may have colour?: a number, and faint?: true beside another of that colour
//     trace    the same, low: for several below each other, whose cursors move together with the same sync?; only
//              those with an x_label show that axis
//     bar      x: [name], series: [{name, y}]
//     scatter  series: [{name, x, y, rows?: [number of each point]}], choices?: [{name, x_label, y_label, series}] to show instead
//     names    names: [text], values: [number]: bars with names that may be long; most?: the length of the scale
//     circle   series: [{name, names: [text], x, y}]: points within the unit circle, with their names
//   and any may have svg?: a drawing of it to save.
#pragma once

#include <string>
#include <string_view>

namespace landfall {

/// The HTML of this page. The JSON must be valid: it is not looked into.
std::string report_page(std::string_view json);

}  // namespace landfall
