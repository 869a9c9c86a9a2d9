// The page from its data: a list of sections, described in report.hpp.

function facts(list, large) {
  return element("dl", { class: large ? "facts large" : "facts" }, ...list.map(({ name, value }) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, numberText(value)))));
}

const kFigures = { line: uplotFigure, trace: uplotFigure, bar: uplotFigure, scatter: scatterFigure, names: nameBars, circle: circleFigure };

function charts(list) {
  const traces = list.every((chart) => chart.kind === "trace");
  return element("div", { class: traces ? "charts traces" : "charts" }, ...list.map((chart) => kFigures[chart.kind](chart)));
}

// Lines break between words, not at the hyphens of options.
function code(text) {
  const words = text.split(" ").map((word) => element("span", {}, word));
  return element("pre", { tabindex: "0" }, element("code", {}, ...words.flatMap((word, i) => (i ? [" ", word] : [word]))));
}

function section(part) {
  return element("section", {}, element("h2", {}, part.heading),
    ...[part.text || []].flat().map((text) => element("p", {}, text)),
    ...(part.facts ? [facts(part.facts, part.large)] : []),
    ...(part.charts ? [charts(part.charts)] : []),
    ...(part.images ? pictures(part.images) : []),
    ...(part.table ? [table(part.table)] : []),
    ...[part.code || []].flat().map(code));
}

function showPage(page) {
  document.title = page.title;
  document.getElementById("page").replaceChildren(
    element("header", {}, element("div", { class: "brand" }, "Landfall"), element("h1", {}, page.title),
            page.subtitle ? element("p", {}, page.subtitle) : null),
    ...page.sections.map(section),
    page.footer ? element("footer", {}, page.footer) : "");
  drawAll();
}

showPage(JSON.parse(document.getElementById("data").textContent));
