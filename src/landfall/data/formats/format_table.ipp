// The file formats, one entry each, for reading and for writing; not installed. A new format is a new entry in
// format_table.cpp.
#pragma once

#include <landfall/data/formats/table_options.hpp>
#include <landfall/data/formats/writer.hpp>
#include <landfall/data/rows/source.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace landfall {

/// What a format is recognised by.
struct FileHead {
  std::string start;      // the first bytes, decompressed
  std::string extension;  // lower case, with its dot, without .gz
};

template <class S>
struct Format {
  std::string_view title;                    // for messages that list the formats
  bool (*matches)(const FileHead&);          // whether the content is of this format; null if it cannot tell
  std::vector<std::string_view> extensions;  // lower case, with their dots
  SourcePtr<S> (*open)(const std::filesystem::path&);
  /// Null if the format is only read. Only tables have room for the names.
  WriterPtr<S> (*create)(const std::filesystem::path&, Index cols, const std::vector<std::string>& names);
  /// Of a text table, which takes all options; null: it has only columns to choose from.
  SourcePtr<S> (*open_table)(const std::filesystem::path&, const TableOptions&) = nullptr;

  /// For options: "npy", "matrix-market", ...
  std::string name() const;

  bool has_extension(std::string_view extension) const {
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
  }
};

/// Whether text is svmlight's: the first line with more than one word is "number index:value" or
/// "number qid:number".
bool svmlight_content(std::string_view text);

/// The content is tried for all formats before any extension is.
template <class S>
const std::vector<Format<S>>& formats();

extern template const std::vector<Format<float>>& formats<float>();
extern template const std::vector<Format<double>>& formats<double>();

std::string lower_case(std::string text);

}  // namespace landfall
