// node browser.mjs PROGRAM: reports of real runs as a browser shows them. Fails with what is wrong, one per line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, openPage } from "./page.mjs";
import { makeRuns } from "./runs.mjs";

const wrong = [];
let place = "";
function expect(holds, what) {
  if (!holds) wrong.push(`${place}: ${what}`);
}

// How many pixels of a canvas have a colour: axes, grid and text are grey. Of a copy, since the browser warns of canvases
// that are drawn and read.
const colouredPixels = (canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b, a] = [data[i], data[i + 1], data[i + 2], data[i + 3]];
    if (a > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 50) ++count;
  }
  return count;
};

async function expectDrawn(page) {
  const plots = await page.$$(".plot");
  expect(plots.length > 0, "no charts");
  for (const plot of plots) {
    const label = await plot.getAttribute("aria-label");
    expect((await plot.getAttribute("role")) === "img" && label?.length > 20 && label.endsWith("."), `no accessible name: ${label}`);
    const canvas = await plot.$("canvas");
    expect((await canvas.evaluate(colouredPixels)) > 40, `nothing drawn: ${label}`);
  }
  for (const canvas of await page.$$(".pictures canvas"))
    expect((await canvas.evaluate(colouredPixels)) > 10, "a picture is blank");
}

// What the text beside the pointer says at these parts of the width and height of a plot.
async function hover(page, plot, x, y) {
  const box = await (await plot.$(".u-over")).boundingBox();
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  const tip = await plot.$(".tip");
  return (await tip.isVisible()) ? tip.innerText() : "";
}

async function expectHover(page) {
  for (const plot of await page.$$(".plot")) {
    await plot.scrollIntoViewIfNeeded();
    let text = "";
    for (let i = 0; i < 100 && !/\d/.test(text); ++i) text = await hover(page, plot, 0.3 + 0.05 * (i % 10), 0.3 + 0.05 * Math.floor(i / 10));
    expect(/\d/.test(text), `hovering shows no value: ${await plot.getAttribute("aria-label")}`);
    await page.mouse.move(0, 0);
    expect(!(await (await plot.$(".tip")).isVisible()), "the value stays when the pointer has left");
  }
}

// Opened on a phone, then turned dark, then wider: charts follow, nothing is wider than the screen.
async function expectRoom(browser, file) {
  const page = await openPage(browser, file, { width: 320 });
  for (const [width, dark] of [[320, false], [390, true], [768, false]]) {
    place = `${file} at ${width} pixels`;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const [scroll, client, background] = await page.evaluate(() => [
      document.documentElement.scrollWidth, document.documentElement.clientWidth, getComputedStyle(document.body).backgroundColor]);
    expect(scroll <= client, `scrolls sideways: ${scroll} pixels in ${client}`);
    const lightness = Number(background.match(/\d+/)[0]);
    expect(dark ? lightness < 60 : lightness > 200, `background ${background}`);
    const unfilled = await page.$$eval(".plot", (plots) => plots.filter((plot) => Math.abs(plot.querySelector(".uplot").offsetWidth - plot.clientWidth) > 1).length);
    expect(unfilled === 0, `${unfilled} charts are not as wide as there is room`);
    await expectDrawn(page);
  }
  expect(page.problems.length === 0, page.problems.join("; "));
  await page.context().close();
}

// Pressing what can be pressed leaves a chart that is drawn; a run that is hidden is not.
async function expectSwitches(page) {
  for (const button of await page.$$(".switches button")) {
    const before = await button.getAttribute("aria-pressed");
    await button.click();
    expect((await button.getAttribute("aria-pressed")) !== before, "a switch does not switch");
  }
  await expectDrawn(page);
  const legend = await page.$(".legend");
  if (!legend) return;
  const figure = await legend.evaluateHandle((list) => list.closest("figure"));
  const count = async () => (await figure.$("canvas")).evaluate(colouredPixels);
  const all = await count();
  for (const button of await legend.$$("button")) await button.click();
  expect((await count()) < all / 20, "hidden series are still drawn");
  for (const button of await legend.$$("button")) await button.click();
  expect((await count()) === all, "series do not come back");
}

// Every chart saves as SVG and PNG, and other pairs of variates can be chosen. What is saved is read from blobs and data URLs, which count as
// requests, so this comes last.
async function expectSaves(page) {
  for (const [text, begins] of [["SVG", "<svg"], ["PNG", "\x89PNG"]]) {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(`button.save:text-is("${text}")`)]);
    const bytes = readFileSync(await saved.path(), "latin1");
    expect(bytes.startsWith(begins), `the ${text} file begins with ${JSON.stringify(bytes.slice(0, 8))}`);
  }
  const list = await page.$("select");
  if (!list) return;
  const axes = () => list.evaluate((one) => one.closest("figure").querySelector("canvas").toDataURL());
  const before = await axes();
  await list.selectOption({ index: 1 });
  expect((await axes()) !== before, "another pair looks the same");
}

async function expectCircle(page) {
  const dots = await page.$$eval("svg.circle .dot", (list) => list.map((dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]));
  if (dots.length === 0) return;
  expect(dots.every(([x, y]) => Math.hypot(x - 250, y - 250) <= 200.5), "a loading outside of the unit circle");
}

async function expectReport(browser, run) {
  place = run.name;
  const file = join(run.folder, "report.html");
  const page = await openPage(browser, file);
  await expectDrawn(page);
  await expectHover(page);
  const text = await page.innerText("main");
  for (const part of run.shows) expect(text.includes(part), `does not show '${part}'`);
  const headings = await page.$$eval("h2", (list) => list.map((one) => one.textContent));
  for (const heading of run.headings) expect(headings.includes(heading), `no section '${heading}' in ${headings}`);

  // A bar says its own value.
  const bars = await page.$(".plot");
  await bars.scrollIntoViewIfNeeded();
  const first = await hover(page, bars, 0.5 / run.bars.length + 0.02, 0.6);
  expect(first.includes(run.bars[0].toPrecision(4).replace(/0+$/, "")), `the first bar says '${first}', expected ${run.bars[0]}`);
  await page.click("summary");
  expect((await page.$$("details[open] tbody tr")).length === run.bars.length, "the numbers of the bars are not all shown");

  await expectCircle(page);
  await expectSwitches(page);
  expect((await page.pdf()).length > 20000, "prints nothing");
  expect((await page.$$("script")).length === 3, "there are other scripts than those of the page");
  expect(page.problems.length === 0, page.problems.join("; "));
  await expectSaves(page);
  await page.context().close();
  await expectRoom(browser, file);
}

// Any page that the schema allows: here several runs over each other with a table, as of a comparison.
async function expectOwnPage(browser, folder, report) {
  place = "a page of one's own";
  const name = "<script>alert(3)</script>";
  const line = (title, more) => ({ kind: "line", title, label: "Two runs, both falling.", x_label: "passes", series: [
    { name: "landing", x: [1, 2, 3, 4], y: [1, 0.1, 0.01, 0.001] }, { name, x: [1, 3, 5], y: [2, 1, null] }], ...more });
  const data = { title: name, sections: [
    { heading: "Table", text: ["One.", name], table: { columns: ["method", "total"], rows: [["landing", 0.5], [name, null]], best: [0] } },
    { heading: "Charts", charts: [line("both", { log_x: true, log_y: true }), line("plain"), line("of all sizes", { log_y: true, series: [
      { name: "small", x: [1, 2, 3], y: [1e-29, 1e-20, 3e-16] }, { name: "large", x: [1, 2, 3], y: [1, 5e9, 1e12] }] })],
      code: [name, "landfall compare"] }] };
  const html = readFileSync(report, "utf8");
  const own = join(folder, "own.html");
  writeFileSync(own, html.replace(/(id="data">).*?(<\/script>)/s, (_, begin, end) => begin + JSON.stringify(data).replaceAll("<", "\\u003c") + end));
  const page = await openPage(browser, own);
  await expectDrawn(page);
  await expectHover(page);
  await expectSwitches(page);
  expect((await page.title()) === name, "the title is not the text it was given");
  expect((await page.innerText("main")).split(name).length > 5, "markup is not shown as text everywhere");
  expect((await page.innerText("tr.best")).includes("landing"), "the best row is not marked");
  expect(page.problems.length === 0, page.problems.join("; "));
  await page.context().close();
  await expectRoom(browser, own);
}

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "landfall-report-"));
let browser = null;
try {
  browser = await openBrowser();
  const runs = makeRuns(folder, (...words) => execFileSync(program, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }));
  for (const run of runs) await expectReport(browser, run);
  await expectOwnPage(browser, folder, join(runs[0].folder, "report.html"));
} catch (error) {
  wrong.push(error.message);
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true });
}
for (const one of wrong) console.error(one);
console.log(wrong.length === 0 ? "reports are shown as they should be" : `${wrong.length} wrong`);
process.exit(wrong.length === 0 ? 0 : 1);
