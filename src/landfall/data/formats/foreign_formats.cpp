#include <landfall/data/formats/foreign_formats.ipp>
#include <landfall/data/formats/format_table.ipp>
#include <landfall/data/io/spool.hpp>
#include <landfall/errors.hpp>

#include <fmt/format.h>

namespace landfall {
namespace {

struct ForeignFormat {
  std::string_view title;                    // with its article
  std::string_view magic;                    // the first bytes; empty: only the extension tells
  std::vector<std::string_view> extensions;  // of the name
  std::string_view code;                     // Python that makes a table of {0}
};

const std::vector<ForeignFormat>& foreign_formats() {
  static const std::vector<ForeignFormat> table{
      {"a Parquet", "PAR1", {".parquet", ".pq"}, "pandas.read_parquet('{0}')"},
      {"a Feather", "FEA1", {".feather"}, "pandas.read_feather('{0}')"},
      {"an Arrow", "ARROW1", {".arrow", ".ipc"}, "pandas.read_feather('{0}')"},
      {"a pickle", "", {".pkl", ".pickle"}, "pandas.DataFrame(pandas.read_pickle('{0}'))"},
      {"a JSON", "", {".json"}, "pandas.read_json('{0}')"},
      {"a JSON Lines", "", {".jsonl", ".ndjson"}, "pandas.read_json('{0}', lines=True)"},
      {"an Excel", "", {".xlsx", ".xlsm", ".xls", ".ods"}, "pandas.read_excel('{0}')"},
      {"a MATLAB",
       "MATLAB 5.0 MAT",
       {".mat"},
       "pandas.DataFrame(__import__('scipy.io').io.loadmat('{0}')['NAME'])"},
      {"a Stata", "", {".dta"}, "pandas.read_stata('{0}')"},
      {"a SAS", "", {".sas7bdat", ".xpt"}, "pandas.read_sas('{0}')"},
      {"an SPSS", "$FL2", {".sav"}, "pandas.read_spss('{0}')"},
  };
  return table;
}

}  // namespace

void refuse_foreign(const std::filesystem::path& path, const FileHead& head) {
  for (const auto& format : foreign_formats()) {
    const bool named = std::find(format.extensions.begin(), format.extensions.end(), head.extension) !=
                       format.extensions.end();
    if (!named && (format.magic.empty() || !head.start.starts_with(format.magic))) continue;
    const std::string file = shown_name(path);
    const std::string table = path.stem().string() + ".csv";
    throw DataError(
        fmt::format("{}: {} file, which is not supported; convert it: python3 -c \"import pandas; "
                    "{}.to_csv('{}', index=False)\"",
                    file, format.title, fmt::format(fmt::runtime(format.code), file), table));
  }
}

}  // namespace landfall
