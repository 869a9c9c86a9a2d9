// One run at a time in a folder.
#include <landfall/errors.hpp>
#include <landfall/run/run_lock.hpp>

#include "data/temporary_folder.hpp"

namespace landfall::test {
namespace {

TEST(RunLock, IsForOneRunAtATime) {
  const TemporaryFolder folder;
  const auto run = folder / "above/run";
  {
    const RunLock first(run, Existing::refuse);
    for (const Existing existing : {Existing::refuse, Existing::replace, Existing::resume})
      EXPECT_THROW(RunLock(run, existing), UsageError);
    EXPECT_TRUE(std::filesystem::is_directory(run));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "above")) << "nothing was written into it";
  {
    const RunLock second(run, Existing::refuse);
    write_text(summary_in(run), "{}");
  }
  EXPECT_TRUE(std::filesystem::exists(summary_in(run)));
  EXPECT_THROW(RunLock(run, Existing::refuse), UsageError) << "finished";
}

}  // namespace
}  // namespace landfall::test
