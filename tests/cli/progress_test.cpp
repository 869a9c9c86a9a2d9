// Progress with a clock and a terminal of the test's own; words that were meant.
#include "terminal/progress.hpp"

#include <landfall/data/rows/memory_source.hpp>

#include "terminal/nearest.hpp"
#include "terminal/watched_source.hpp"
#include <gtest/gtest.h>

namespace landfall::app {
namespace {

/// A screen whose clock stands until it is moved, and what was written to it.
struct Fake {
  double now = 100;
  int width = 80;
  std::string text;

  Screen screen(bool terminal, bool colour = false) {
    return {.terminal = terminal,
            .colour = colour,
            .width = [this] { return width; },
            .now = [this] { return now; },
            .write = [this](std::string_view more) { text += more; }};
  }
};

const Progress kHalfway{.iteration = 900,
                        .passes = 2,
                        .seconds = 40,
                        .objective = -3.512341,
                        .infeasibility = 1.2e-3,
                        .stationarity = 0,
                        .step = 0.21,
                        .attraction = 0.25,
                        .field_norm = 0,
                        .back_offs = 0};

TEST(ProgressParts, SayThePassTheRateWhatIsLeftAndHowItStands) {
  EXPECT_EQ(landing_parts(kHalfway, {.passes = 4, .rows = 60'000}, 312 << 20),
            (Parts{"pass 2.00/4", "3.0k rows/s", "40 s left", "f -3.51234", "infeasible 1.2e-03", "step 0.21",
                   "312 MiB"}));
  EXPECT_EQ(landing_parts(kHalfway, {.passes = 402}, 312 << 20)[1], "0.05 passes/s");
  EXPECT_EQ(landing_parts(kHalfway, {.passes = 402}, 312 << 20)[2], "2 h 13 min left");
  const Progress begin{};
  EXPECT_EQ(landing_parts(begin, {.passes = 4, .rows = 10}, 0)[1], "f 0.00000")
      << "no rate, nothing left to tell";
}

TEST(ProgressParts, AreLeftOutFromTheEndWhereTheyDoNotFit) {
  const Parts parts{"one", "two", "three"};
  EXPECT_EQ(fitted(parts, 100), "one  two  three");
  EXPECT_EQ(fitted(parts, 15), "one  two  three");
  EXPECT_EQ(fitted(parts, 14), "one  two");
  EXPECT_EQ(fitted(parts, 7), "one");
  EXPECT_EQ(fitted(parts, 2), "on");
}

TEST(ProgressParts, CountsAreShort) {
  EXPECT_EQ(count_text(0.123), "0.12");
  EXPECT_EQ(count_text(42.4), "42");
  EXPECT_EQ(count_text(999.4), "999");
  EXPECT_EQ(count_text(999.9), "1.0k");
  EXPECT_EQ(count_text(41'230), "41.2k");
  EXPECT_EQ(count_text(412'300), "412k");
  EXPECT_EQ(count_text(1'250'000), "1.2M");
}

TEST(ProgressLine, OnATerminalIsRewrittenFitsItAndIsGoneAtTheEnd) {
  Fake fake;
  {
    ProgressLine line(fake.screen(true));
    line.show([] { return Parts{"first", "more"}; });
    EXPECT_EQ(fake.text, "\r\033[Kfirst  more");
    fake.now += 0.1;
    line.show([]() -> Parts { throw std::logic_error("too early"); });
    fake.now += 0.2;
    fake.width = 12;  // a full line of 11 and the column that stays free
    fake.text.clear();
    line.show([] { return Parts{"second", "more"}; });
    EXPECT_EQ(fake.text, "\r\033[Ksecond");
    fake.text.clear();
    line.say("decided");
    EXPECT_EQ(fake.text, "\r\033[Kdecided\n");
    fake.now += 1;
    line.show([] { return Parts{"third"}; });
    fake.text.clear();
  }
  EXPECT_EQ(fake.text, "\r\033[K");
}

TEST(ProgressLine, ReadingIsShownWhereThereAreNoSteps) {
  Fake fake;
  ProgressLine line(fake.screen(true));
  const auto source =
      watched<float>(std::make_unique<MemorySource<float>>(RowMatrix<float>::Zero(40, 3), "left.npy"), line);
  Batch<float> batch;
  fake.now += 2;
  EXPECT_EQ(source->read(10, batch), 10);
  EXPECT_EQ(fake.text, "\r\033[Kreading left.npy  25 %  5.00 rows/s");
  fake.text.clear();
  fake.now += 1;
  line.show([] { return Parts{"step"}; });
  fake.now += 0.9;
  source->read(10, batch);
  EXPECT_EQ(fake.text, "\r\033[Kstep");
  fake.text.clear();
  fake.now += 0.2;
  const Index last = 39;
  source->read_rows({&last, 1}, batch);
  EXPECT_EQ(fake.text, "\r\033[Kreading left.npy  52 %  5.12 rows/s");
  EXPECT_EQ(batch.rows(), 1);
  source->rewind();
  fake.text.clear();
  fake.now += 10;
  source->read(40, batch);
  EXPECT_EQ(fake.text, "\r\033[Kreading left.npy  0 %  4.00 rows/s") << "a new reading begins";
}

TEST(ProgressLine, ReadingByRanks) {
  const auto after_ten_rows = [](const ReadTogether& together) {
    Fake fake;
    ProgressLine line(fake.screen(true));
    const auto source =
        watched<float>(std::make_unique<MemorySource<float>>(RowMatrix<float>::Zero(80, 3), "left.npy"), line,
                       nullptr, together);
    Batch<float> batch;
    fake.now += 2;
    source->read(10, batch);
    return fake.text;
  };
  EXPECT_EQ(after_ten_rows({}), "\r\033[Kreading left.npy  12 %  5.00 rows/s");
  EXPECT_EQ(after_ten_rows({.ranks = 4, .shares = 4}), "\r\033[Kreading left.npy  50 %  20 rows/s");
  EXPECT_EQ(after_ten_rows({.ranks = 4}), "\r\033[Kreading left.npy  12 %  20 rows/s");
}

TEST(ProgressLine, IsPaintedWhereThereIsColour) {
  Fake fake;
  ProgressLine line(fake.screen(true, true));
  line.show([] { return Parts{"pass 1", "more"}; });
  EXPECT_EQ(fake.text, "\r\033[K\033[1mpass 1\033[0m  more");
}

TEST(ProgressLine, ElsewhereIsALineEveryFiveSeconds) {
  Fake fake;
  {
    ProgressLine line(fake.screen(false));
    for (int tenths = 0; tenths < 130; ++tenths, fake.now += 0.1)
      line.show([&] { return Parts{"at", std::to_string(tenths / 10)}; });
  }
  EXPECT_EQ(fake.text, "at  5\nat  10\n");
}

TEST(ProgressLine, SaysNothingWhereItIsNotWanted) {
  Fake fake;
  {
    ProgressLine line(fake.screen(true), false);
    line.show([] { return Parts{"no"}; });
    line.say("no");
  }
  EXPECT_EQ(fake.text, "");
}

TEST(ProgressLine, TellsWhenTheStepWasHalvedToThoseWhoAsk) {
  Fake fake;
  ProgressLine line(fake.screen(false));
  const auto observer = show_progress(line, {.passes = 4, .verbose = true});
  EXPECT_TRUE(observer(kHalfway));
  EXPECT_EQ(fake.text, "");
  Progress later = kHalfway;
  later.back_offs = 1;
  EXPECT_TRUE(observer(later));
  EXPECT_TRUE(observer(later));
  EXPECT_EQ(fake.text, "pass 2.00: the trust region cut too many steps; halving the step to 0.21\n");
}

TEST(Nearest, CountsInsertedDeletedReplacedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("landing", "landing"), 0U);
  EXPECT_EQ(edit_distance("landng", "landing"), 1U);
  EXPECT_EQ(edit_distance("lanndings", "landing"), 2U);
  EXPECT_EQ(edit_distance("lamding", "landing"), 1U);
  EXPECT_EQ(edit_distance("lnading", "landing"), 1U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, IsOneOrNone) {
  const std::vector<std::string> options{"-p", "--components", "--method", "--memory", "--missing", "--step"};
  EXPECT_EQ(nearest("--componets", options), "--components");
  EXPECT_EQ(nearest("-components", options), "--components");
  EXPECT_EQ(nearest("--comp", options), "--components");
  EXPECT_EQ(nearest("--me", options), std::nullopt) << "two begin so, none is near";
  EXPECT_EQ(nearest("--mehtod", options), "--method");
  EXPECT_EQ(nearest("--x", options), std::nullopt);
  EXPECT_EQ(nearest("--", options), std::nullopt);
  EXPECT_EQ(nearest("--banana", options), std::nullopt);
  EXPECT_EQ(suggestion("--setp", options), "; did you mean --step?");
  EXPECT_EQ(suggestion("--banana", options), "");
}

}  // namespace
}  // namespace landfall::app
