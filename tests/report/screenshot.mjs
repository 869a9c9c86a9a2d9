// node tests/report/screenshot.mjs REPORT.html OUT.png|OUT.pdf [--dark] [--width PIXELS]: how a browser shows a report, or prints it.
import { openBrowser, openPage } from "./page.mjs";

const words = process.argv.slice(2);
const dark = words.includes("--dark");
const at = words.indexOf("--width");
const width = at < 0 ? 1100 : Number(words.splice(at, 2)[1]);
const [report, out] = words.filter((word) => !word.startsWith("--"));
if (!report || !out || !(width > 0)) {
  console.error("usage: node tests/report/screenshot.mjs REPORT.html OUT.png|OUT.pdf [--dark] [--width PIXELS]");
  process.exit(2);
}

const browser = await openBrowser();
const page = await openPage(browser, report, { width, dark });
if (out.endsWith(".pdf")) await page.pdf({ path: out, format: "A4" });
else await page.screenshot({ path: out, fullPage: true });
for (const problem of page.problems) console.error(problem);
await browser.close();
