// A report in Debian's Chromium, cut off from the network.
//
//   const browser = await openBrowser();
//   const page = await openPage(browser, "run/report.html", { width: 1100, dark: true });
//   page.problems                           // console errors and requests so far; none is right
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const CHROMIUM = process.env.LANDFALL_CHROMIUM || "/usr/bin/chromium";

function playwright() {
  try {
    return createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");
  } catch {
    throw new Error("web/node_modules/playwright-core is missing: run tools/setup report, which gets it by npm");
  }
}

export async function openBrowser() {
  const { chromium } = playwright();
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing: run tools/setup report, which installs it`);
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
}

export async function openPage(browser, file, { width = 1100, height = 900, dark = false, scale = 1 } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", deviceScaleFactor: scale,
  });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => { if (message.type() !== "log") page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("dialog", (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const url = pathToFileURL(resolve(file)).href;
  page.on("request", (request) => { if (request.url() !== url) page.problems.push(`request: ${request.url()}`); });
  await context.route((at) => at.href !== url, (route) => route.abort());
  await page.goto(url);
  return page;
}
