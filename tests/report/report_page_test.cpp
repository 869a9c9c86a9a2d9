// The page that reports are put into.
#include <landfall/report/report.hpp>

#include <gtest/gtest.h>

namespace landfall::test {
namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++found;
  return found;
}

TEST(ReportPage, HoldsTheDataWithoutMarkup) {
  const std::string empty = report_page("{}");
  const std::string page = report_page(R"({"title": "</script><script>alert(1)</script> <!--"})");
  EXPECT_NE(page.find(R"({"title": "\u003c/script>\u003cscript>alert(1)\u003c/script> \u003c!--"})"),
            std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), count(empty, "<script"));
  EXPECT_EQ(count(page, "</script"), count(empty, "</script"));
  EXPECT_EQ(count(page, "<!--"), count(empty, "<!--"));
}

TEST(ReportPage, IsWholeAndNeedsNothingElse) {
  const std::string page = report_page("{}");
  EXPECT_EQ(page.find("<!doctype html>"), 0U);
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const char* part :
       {"uPlot=function", "Copyright (c)", "function showPage", ".u-legend", "default-src 'none'"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* part : {"src=", "href=", "@import", "url(", ".css@", ".js@", "@data@", "innerHTML"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace landfall::test
