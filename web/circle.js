// The correlation circle: a point for each column at its loadings on two components, within the unit circle.

function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function circleFigure(chart) {
  const radius = 200, middle = 250, labelled = 12;
  const drawing = shape("svg", { viewBox: "-60 20 620 456", role: "img", "aria-label": chart.label, class: "circle" },
    shape("line", { x1: middle - radius, x2: middle + radius, y1: middle, y2: middle, class: "grid" }),
    shape("line", { x1: middle, x2: middle, y1: middle - radius, y2: middle + radius, class: "grid" }),
    shape("circle", { cx: middle, cy: middle, r: radius, class: "ring" }),
    shape("circle", { cx: middle, cy: middle, r: radius / 2, class: "grid" }),
    shape("text", { x: middle, y: middle + radius + 19, "text-anchor": "middle", class: "axis" }, chart.x_label),
    shape("text", { x: middle, y: middle - radius - 9, "text-anchor": "middle", class: "axis" }, chart.y_label));
  const state = { hidden: chart.series.map(() => false) };
  const letters = window.innerWidth <= 680 ? 19 : 12; // as in report.css
  const taken = []; // boxes of labels
  const overlaps = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < letters;
  const groups = chart.series.map((series, s) => {
    const group = shape("g", {});
    series.names.forEach((name, i) => {
      const x = middle + radius * series.x[i], y = middle - radius * series.y[i], left = series.x[i] < 0;
      const title = shape("title", {}, `${name}: ${numberText(series.x[i])}, ${numberText(series.y[i])}`);
      group.append(shape("circle", { cx: x, cy: y, r: 4, class: "dot" }, title));
      if (i >= labelled) return;
      const text = name.length > 22 ? `${name.slice(0, 21)}\u2026` : name, width = 0.62 * letters * text.length;
      for (const before of [left, !left]) { // away from the middle, or the other way where that is taken
        const box = { x: before ? x - 8 - width : x + 8, y, width };
        if (taken.some((other) => overlaps(box, other))) continue;
        taken.push(box);
        group.append(shape("text", { x: before ? x - 8 : x + 8, y: y + 4, "text-anchor": before ? "end" : "start" }, text));
        return;
      }
    });
    keepDrawn(() => group.querySelectorAll(".dot").forEach((dot) => dot.setAttribute("fill", seriesColour(series, s))));
    drawing.append(group);
    return group;
  });
  const show = () => groups.forEach((group, s) => { group.style.display = state.hidden[s] ? "none" : ""; });
  return element("figure", { class: chart.wide ? "wide" : undefined }, caption(chart), legend(chart, state, show),
    element("div", {}, drawing));
}
