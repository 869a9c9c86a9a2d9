// The JSON object that a command prints with --json and leaves in its run folder.
#pragma once

#include "program.hpp"
#include <nlohmann/json.hpp>

namespace landfall::test {

using Json = nlohmann::json;

inline Json summary_of(const Outcome& run) {
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Json summary = Json::parse(run.out, nullptr, false);
  EXPECT_TRUE(summary.is_object()) << run.out;
  return summary;
}

/// The keys that every model has.
inline void expect_contract(const Json& summary, const std::string& problem) {
  for (const char* key : {"problem",    "method",    "reason",        "samples",      "features",
                          "components", "passes",    "infeasibility", "stationarity", "iterations",
                          "batch",      "estimator", "ridge",         "seconds",      "peak_memory_bytes",
                          "seed",       "threads",   "precision",     "termination",  "version",
                          "mean_pass",  "centred",   "missing",       "first_index",  "dropped_columns"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["problem"], problem);
  EXPECT_EQ(summary["version"], LANDFALL_VERSION);
  EXPECT_EQ(summary["seconds"].size(), 4U);
  for (const char* part : {"total", "read", "solve", "evaluate"})
    EXPECT_TRUE(summary["seconds"][part].is_number()) << part;
  EXPECT_GT(summary["peak_memory_bytes"], 1 << 20);
  EXPECT_EQ(summary.contains("landing"), summary["method"] == "landing");
  EXPECT_EQ(summary["estimator"].is_null(), summary["method"] != "landing");
}

/// The lines of a table, which must all be as wide as the first.
inline Words aligned_lines(const std::string& table) {
  Words lines;
  std::istringstream text(table);
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
    EXPECT_EQ(line.size(), lines[0].size()) << "not aligned: '" << line << "'";
  }
  return lines;
}

}  // namespace landfall::test
