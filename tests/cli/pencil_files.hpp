// A pencil in every kind of file, and the program run on them.
#pragma once

#include <landfall/data/formats/matrix_market.hpp>
#include <landfall/data/formats/npy.hpp>

#include "cli/program.hpp"
#include "support.hpp"
#include <nlohmann/json.hpp>

namespace landfall::test {

using Json = nlohmann::json;

/// A folder with a pencil of size 20 in every kind of file: .npy in double and single, .mtx dense and sparse.
class CliTest : public ::testing::Test {
 protected:
  CliTest() {
    write_npy<double>(path("A.npy"), a_);
    write_npy<double>(path("B.npy"), b_);
    write_npy<float>(path("A32.npy"), a_.cast<float>());
    write_npy<float>(path("B32.npy"), b_.cast<float>());
    write_matrix_market<double>(path("A.mtx"), In<double>(a_));
    write_matrix_market<double>(path("B.mtx"), In<double>(b_));
    write_matrix_market<double>(path("As.mtx"), Eigen::SparseMatrix<double>(a_.sparseView()));
    write_matrix_market<double>(path("Bs.mtx"), Eigen::SparseMatrix<double>(b_.sparseView()));
    write_npy_vector<double>(path("known.npy"), known_);
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  Outcome landfall(const Words& arguments) const { return run_program(folder_.path(), arguments); }

  /// landfall gevp with one thread: the machine may be busy with other tests.
  Outcome gevp(const std::string& a, const std::string& b, Words more = {"-p", "3"}) const {
    Words words{"gevp", a, b, "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return landfall(words);
  }

  Json json(const std::string& a, const std::string& b, Words more = {"-p", "3"}) const {
    more.push_back("--json");
    const Outcome run = gevp(a, b, more);
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }

  TemporaryFolder folder_;
  Matrix<double> a_ = with_spectrum<double>(Vector<double>::LinSpaced(20, -1, 2), 1);
  Matrix<double> b_ = random_spd<double>(20, 10, 2);
  Vector<double> known_ = pencil_eigenvalues(a_, b_);
};

}  // namespace landfall::test
