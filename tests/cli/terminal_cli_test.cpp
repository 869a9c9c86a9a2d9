// The program on a terminal, and what it gives to shells and to man.
#include <landfall/data/formats/npy.hpp>

#include <cstdlib>

#include "cli/summary.hpp"
#include "cli/terminal.hpp"
#include "support.hpp"

namespace landfall::test {
namespace {

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    write_npy<float>(folder_ / "left.npy", gaussian<float>(2000, 12, {1, 0}));
    write_npy<float>(folder_ / "right.npy", gaussian<float>(2000, 9, {2, 0}));
  }

  Outcome on_terminal(const Words& more, unsigned short columns = 80, const Words& environment = {}) const {
    return run_on_terminal(folder_.path(), landing(more), columns, environment);
  }
  Outcome on_pipes(const Words& more) const { return run_program(folder_.path(), landing(more)); }
  static Words landing(const Words& more) {
    Words words{"cca", "left.npy", "right.npy", "-p", "2", "--method", "landing", "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// What bash says of the words of a command line, of which the last is to be completed.
  std::string completed(const Words& words) const {
    std::string line = "source ./script; COMP_WORDS=(";
    for (const auto& word : words) line += " '" + word + "'";
    line += "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _landfall; echo \"${COMPREPLY[*]}\" >answer";
    const std::string command = "cd '" + folder_.path().string() + "' && bash -c '" + quoted(line) + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return content(folder_ / "answer");
  }
  static std::string quoted(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(TerminalTest, ShowsALiveLineThatIsGoneBeforeTheTable) {
  const Outcome run = on_terminal({});
  EXPECT_EQ(run.code, 0) << run.out;
  const auto live = run.out.find("\r\033[K\033[1mpass 0.");
  ASSERT_NE(live, std::string::npos) << run.out;
  const auto gone = run.out.rfind("\r\033[K");
  EXPECT_GT(gone, live);
  EXPECT_GT(run.out.find("correlation"), gone);
}

TEST_F(TerminalTest, HasNoColoursWithNoColor) {
  const Outcome run = on_terminal({}, 80, {"NO_COLOR=1"});
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_NE(run.out.find("\r\033[Kpass 0."), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\033[1m"), std::string::npos);
  EXPECT_EQ(run.out.find("\033[0m"), std::string::npos);

  const Words wrong{"cook"};
  EXPECT_NE(run_on_terminal(folder_.path(), wrong, 80).out.find("\033[31mlandfall:\033[0m unknown"),
            std::string::npos);
  EXPECT_EQ(run_on_terminal(folder_.path(), wrong, 80, {"NO_COLOR=1"}).out.find("landfall: unknown"), 0U);
}

TEST_F(TerminalTest, KeepsTheLiveLineWithinTheWidth) {
  for (const unsigned short columns : {20, 50, 200}) {
    SCOPED_TRACE(columns);
    const Outcome run = on_terminal({}, columns, {"NO_COLOR=1"});
    std::size_t longest = 0;
    const std::string begin = "\r\033[K";
    for (std::size_t at = run.out.find(begin); at != std::string::npos; at = run.out.find(begin, at)) {
      at += begin.size();
      if (run.out.compare(at, 4, "pass") == 0) longest = std::max(longest, run.out.find('\r', at) - at);
    }
    EXPECT_LT(longest, columns);
    EXPECT_GT(longest, 8U);
    EXPECT_EQ(run.out.find("MiB") != std::string::npos, columns == 200);
  }
}

TEST_F(TerminalTest, IsPlainWhereTheTerminalIsDumbAndSilentWithQuiet) {
  EXPECT_EQ(on_terminal({}, 80, {"TERM=dumb"}).out.find('\033'), std::string::npos);
  const Outcome quiet = on_terminal({"--quiet"});
  EXPECT_EQ(quiet.out.find('\033'), std::string::npos);
  EXPECT_EQ(quiet.out.find("landing"), std::string::npos);
}

TEST_F(TerminalTest, VerboseSaysWhatWasDecided) {
  const Outcome run = on_pipes({"--verbose", "--json", "--step", "50", "--passes", "12"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Json::parse(run.out, nullptr, false).is_object());
  for (const char* decision : {"landing: requested\n", "<- chosen", "pilot estimate from ",
                               "preconditioner of rank ", "noise of one row ", "step 50", "no ridge"})
    EXPECT_NE(run.err.find(decision), std::string::npos) << decision << "\n" << run.err;
  EXPECT_EQ(on_pipes({"--json"}).err, "");
}

TEST_F(TerminalTest, ContradictionsAreOneSentence) {
  const std::string see = " (see landfall cca --help)";
  expect_error(run_program(folder_.path(),
                           {"cca", "left.npy", "right.npy", "-p", "2", "--method", "exact", "--step", "0.1"}),
               2, "--step: is an option of landing, but --method is exact" + see);
  expect_error(on_pipes({"--memory", "10"}), 2,
               "--memory: '10' is not a memory size such as 512MiB or 2GiB" + see);
  expect_error(on_pipes({"--methd", "exact"}), 2, "unknown option '--methd'; did you mean --method?" + see);
}

TEST_F(TerminalTest, BashCompletesCommandsOptionsChoicesAndFiles) {
  folder_.file("script", run_program(folder_.path(), {"completion", "bash"}).out);
  EXPECT_EQ(completed({"landfall", "ge"}), "gevp\n");
  EXPECT_EQ(completed({"landfall", "data", "p"}), "pencil planted-cca\n");
  EXPECT_EQ(completed({"landfall", "cca", "--meth"}), "--method\n");
  EXPECT_EQ(completed({"landfall", "plan", "gevp", "A", "B", "--method", "lob"}), "lobpcg\n");
  EXPECT_EQ(completed({"landfall", "cca", "left.npy", "r"}), "right.npy\n");
  EXPECT_EQ(completed({"landfall", "cca", "-p", ""}), "\n") << "a number is not a file";
  EXPECT_EQ(completed({"landfall", "completion", ""}), "bash zsh\n");
  std::filesystem::create_directory(folder_ / "lower");
  EXPECT_EQ(completed({"landfall", "cca", "--out", "l"}), "lower\n") << "folders alone";
}

TEST_F(TerminalTest, ZshAndManGetTheSameTable) {
  const std::string zsh = run_program(folder_.path(), {"completion", "zsh"}).out;
  EXPECT_EQ(zsh.find("#compdef landfall\n"), 0U);
  EXPECT_NE(zsh.find("'--method[auto, exact or landing \\[auto"), std::string::npos);
  EXPECT_NE(zsh.find("'(-p --components)'{-p,--components}'["), std::string::npos);
  EXPECT_NE(zsh.find("    data) _landfall_data ;;"), std::string::npos);
  const std::string man = run_program(folder_.path(), {"man"}).out;
  EXPECT_EQ(man.find(".TH LANDFALL 1 "), 0U);
  for (const char* part :
       {"\n.SH NAME\nlandfall \\- ", "\n.SH SYNOPSIS\n", "\n.SS \\fBlandfall data pencil\\fR\n",
        "\n\\fB\\-p\\fR, \\fB\\-\\-components\\fR \\fIK\\fR\n", "\n\\fB\\-\\-momentum\\fR"})
    EXPECT_NE(man.find(part), std::string::npos) << part;

  folder_.file("_landfall", zsh);
  folder_.file("landfall.1", man);
  const auto check = [&](const std::string& tool, const std::string& arguments) {
    if (std::system(("command -v " + tool + " >/dev/null").c_str()) != 0)
      return;  // checked where it is installed
    const std::string command =
        "cd '" + folder_.path().string() + "' && " + tool + arguments + " >warnings 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_EQ(content(folder_ / "warnings"), "") << command;
  };
  check("zsh", " -n _landfall");
  check("groff", " -man -ww -Tutf8 -z landfall.1");
}

}  // namespace
}  // namespace landfall::test
