#include <landfall/parallel/cores.hpp>
#include <landfall/parallel/kernels.hpp>
#include <landfall/parallel/threads.hpp>

#include <fstream>
#include <thread>

#include "data/temporary_folder.hpp"
#include <gtest/gtest.h>

namespace landfall::test {
namespace {

TEST(Kernels, WiderOnesAreNamedWhereTheChosenUseLess) {
  using enum InstructionSet;
  EXPECT_EQ(wider_kernels("Prescott", avx512), "SkylakeX");
  EXPECT_EQ(wider_kernels("Zen", avx512), "SkylakeX");
  EXPECT_EQ(wider_kernels("Prescott", avx2), "Haswell");
  EXPECT_EQ(wider_kernels("Sandybridge", avx2), "Haswell");
  for (const char* name : {"SkylakeX", "Cooperlake", "Sapphirerapids"})
    EXPECT_EQ(wider_kernels(name, avx512), "") << name;
  for (const char* name : {"Haswell", "Zen", "SkylakeX"}) EXPECT_EQ(wider_kernels(name, avx2), "") << name;
  EXPECT_EQ(wider_kernels("Prescott", baseline), "");
  EXPECT_EQ(wider_kernels("neoversen1", baseline), "");
}

TEST(Kernels, TheWarningNamesTheVariable) {
  EXPECT_EQ(kernel_warning({"OpenBLAS 1", "Haswell", ""}), "");
  EXPECT_NE(kernel_warning({"OpenBLAS 1", "Prescott", "Haswell"}).find("OPENBLAS_CORETYPE=Haswell"),
            std::string::npos);
}

TEST(Kernels, ThoseOfThisProcess) {
  const BlasKernels blas = blas_kernels();
  EXPECT_EQ(blas.library.find("OpenBLAS "), 0u) << blas.library;
  EXPECT_FALSE(blas.kernels.empty());
  const std::string all = describe_computation();
  for (const std::string& part : {blas.library, blas.kernels, std::string(to_string(instruction_set()))})
    EXPECT_NE(all.find(part), std::string::npos) << all;
}

class Groups : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  int cores(const std::string& groups) { return cgroup_cores(groups, folder_.path()); }
  TemporaryFolder folder_;
};

TEST_F(Groups, TheLeastQuotaOfAllLevelsCounts) {
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 2);  // one and a half, rounded up
  write("cpu.max", "20000 100000\n");
  EXPECT_EQ(cores("0::/a/b\n"), 1);
  EXPECT_EQ(cores("0::/c\n"), 1);  // the path is that of the host, the mount that of the container
}

TEST_F(Groups, VersionOne) {
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores("5:memory:/job\n4:cpu,cpuacct:/job\n"), 3);
  write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_GT(cores("4:cpu,cpuacct:/job\n"), 1000);
}

TEST_F(Groups, NoQuota) {
  EXPECT_GT(cores(""), 1000);
  write("a/cpu.max", "");
  EXPECT_GT(cores("0::/a\nnonsense\n"), 1000);
}

TEST(Cores, AtMostThoseOfTheMachine) {
  EXPECT_GE(available_cores(), 1);
  EXPECT_LE(available_cores(), static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

}  // namespace
}  // namespace landfall::test
