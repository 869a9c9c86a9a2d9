// landfall data info as a user runs it.
#include "cli/pencil_files.hpp"

namespace landfall::test {
namespace {

class DataInfo : public CliTest {};

TEST_F(DataInfo, SaysWhatIsInAFile) {
  Matrix<double> m = Matrix<double>::Zero(5, 4);
  m(0, 0) = -2.5;
  m(1, 3) = 1e6;
  m(2, 2) = std::nan("");
  m(4, 1) = -HUGE_VAL;
  write_npy<double>(path("m.npy"), m);
  const Outcome run = landfall({"data", "info", "m.npy"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "file            m.npy\n"
            "format          npy\n"
            "rows            5\n"
            "columns         4\n"
            "element type    f8\n"
            "nonzeros        20 %\n"
            "smallest value  -2.5\n"
            "largest value   1000000\n"
            "missing values  2 (1 NaN, 1 infinite)\n");
}

TEST_F(DataInfo, AsJsonTakesSeveralFilesAndFolders) {
  std::filesystem::create_directory(path("parts"));
  write_npy<float>(path("parts/1.npy"), Matrix<float>::Constant(3, 2, 1));
  write_npy<float>(path("parts/2.npy"), Matrix<float>::Constant(4, 2, 0));
  write_npy<float>(path("nan.npy"), Matrix<float>::Constant(2, 2, std::nanf("")));
  // MNIST's kind of file: two images of 1 x 3 bytes.
  folder_.file("images", std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03", 16) +
                             std::string("\0\x05\xff\0\0\0", 6));
  const Outcome run = landfall({"data", "info", "images", "parts", "nan.npy", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const Json expected = {{{"file", "images"},
                          {"format", "idx"},
                          {"rows", 2},
                          {"columns", 3},
                          {"element_type", "u1"},
                          {"density", 2.0 / 6},
                          {"smallest", 0.0},
                          {"largest", 255.0},
                          {"nan", 0},
                          {"infinite", 0}},
                         {{"file", "parts"},
                          {"format", "npy"},
                          {"rows", 7},
                          {"columns", 2},
                          {"element_type", "f4"},
                          {"density", 3.0 / 7},
                          {"smallest", 0.0},
                          {"largest", 1.0},
                          {"nan", 0},
                          {"infinite", 0}},
                         {{"file", "nan.npy"},
                          {"format", "npy"},
                          {"rows", 2},
                          {"columns", 2},
                          {"element_type", "f4"},
                          {"density", 1.0},
                          {"smallest", nullptr},
                          {"largest", nullptr},
                          {"nan", 4},
                          {"infinite", 0}}};
  EXPECT_EQ(Json::parse(run.out, nullptr, false), expected);
}

TEST_F(DataInfo, OfBadFilesIsOneSentenceAndThree) {
  expect_error(landfall({"data", "info"}), 2, "FILE is required (see landfall data info --help)");
  expect_error(landfall({"data", "info", "A.npy", "none.npy"}), 3, "none.npy: no such file");
  folder_.file("short.npy", content(path("A.npy")).substr(0, 3000));
  expect_error(landfall({"data", "info", "short.npy"}), 3,
               "short.npy: truncated: expected 3328 bytes, found 3000");
  std::filesystem::create_directory(path("parts"));
  write_npy<double>(path("parts/1.npy"), a_);
  write_npy<double>(path("parts/2.npy"), a_.leftCols(3));
  expect_error(landfall({"data", "info", "parts"}), 3, "parts/2.npy: 3 columns, but parts/1.npy has 20");
}

}  // namespace
}  // namespace landfall::test
