// Charts drawn by uPlot: lines (several runs in one chart), bars, and stacked traces.

const kFont = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";

const superscript = (number) =>
  String(number).replace(/./g, (c) => (c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c]));

function axisText(value, log) {
  if (value === null || value === undefined) return "";
  const power = Math.round(Math.log10(value));
  const whole = Math.abs(Math.log10(value) - power) < 1e-9;
  if (log && whole && (power < -2 || power > 3)) return `10${superscript(power)}`;
  return numberText(value);
}

// Texts of marks that differ, also where the values hardly do.
function axisTexts(splits, log) {
  const texts = splits.map((value) => axisText(value, log));
  const known = splits.filter(isNumber);
  if (log || new Set(texts.filter((text) => text)).size === known.length) return texts;
  const step = Math.min(...known.slice(1).map((value, i) => Math.abs(value - known[i])));
  const digits = Math.min(15, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return splits.map((value) => (isNumber(value) ? value.toFixed(digits).replace("-", "\u2212") : ""));
}

// uPlot's own ranges and grid lines of a log axis do not terminate for numbers below 1e-16. Ours go from 1, 2 or 5 times a
// power of ten to another.
function logRange(_, low, high) {
  const power = (value) => 10 ** Math.floor(Math.log10(value) + 1e-9);
  if (!(low > 0)) return [0.1, 1];
  const from = power(low) * (low / power(low) >= 5 ? 5 : low / power(low) >= 2 ? 2 : 1);
  const part = high / power(high) - 1e-9;
  const to = power(high) * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
  return to > from ? [from, to] : [from / 2, 2 * from];
}

function logSplits(_, __, low, high) {
  const first = Math.floor(Math.log10(low) + 1e-9), last = Math.ceil(Math.log10(high) - 1e-9);
  const step = Math.ceil((last - first) / 7), between = last - first < 3 ? [1, 2, 5] : [1];
  const splits = [];
  for (let power = first; power <= last; ++power)
    if (power % step === 0)
      for (const factor of between) splits.push(Number(`${factor}e${power}`));
  return splits.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
}

function axis(label, log, more = {}) {
  const { quiet, line } = colours();
  return {
    stroke: quiet, font: kFont, labelFont: kFont, label: label || undefined, labelSize: 18, labelGap: 2,
    grid: { stroke: line, width: 1 },
    ticks: { show: false }, gap: 6, size: 26, space: 46,
    values: (_, splits) => axisTexts(splits, log),
    ...(log && { splits: logSplits, filter: (_, splits) => splits }),
    ...more,
  };
}

const valueAxis = (label, log) => axis(label, log, {
  space: 34,
  size: (_, values) => 14 + 6.6 * Math.max(2, ...(values || []).map((text) => text.length)),
});

const scale = (log) => (log ? { distr: 3, range: logRange } : { distr: 1 });

// All series on the union of their x values, as uPlot requires; null where a series has no value.
function aligned(chart, logX, logY) {
  const tables = chart.series.map((series) => {
    const xs = series.x || chart.x, kept = [[], []];
    xs.forEach((x, i) => {
      if (!isNumber(x) || (logX && x <= 0)) return;
      const y = series.y[i];
      kept[0].push(x);
      kept[1].push(isNumber(y) && !(logY && y <= 0) ? y : null);
    });
    return kept;
  });
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

// Whether a log axis makes sense: positive numbers of different magnitudes.
function allowsLog(values) {
  const kept = values.filter(isNumber);
  if (kept.length < 2 || kept.some((value) => value < 0)) return false;
  const positive = kept.filter((value) => value > 0);
  return positive.length > 1 && Math.max(...positive) > 1.5 * Math.min(...positive);
}

function lastBefore(column, i) {
  while (i >= 0 && !isNumber(column[i])) --i;
  return i < 0 ? null : column[i];
}

function lineOptions(chart, state, width) {
  const trace = chart.kind === "trace";
  return {
    width, height: trace ? (chart.x_label ? 92 : 74) : 250,
    padding: [8, trace ? 24 : 20, trace && !chart.x_label ? 4 : null, null],
    scales: { x: { time: false, ...scale(state.logX) }, y: scale(state.logY) },
    legend: { show: false },
    cursor: {
      y: false, points: { size: 7 },
      sync: chart.sync ? { key: chart.sync, scales: ["x", null] } : undefined,
    },
    axes: [
      trace ? axis(null, false, { size: 20, show: Boolean(chart.x_label) }) : axis(chart.x_label, state.logX),
      trace ? { ...valueAxis(null, false), size: 44 } : valueAxis(chart.y_label, state.logY),
    ],
    series: [{}, ...chart.series.map((series, i) => ({
      label: series.name, stroke: seriesColour(series, i), width: trace ? 1 : 1.6, spanGaps: true,
      points: { show: chart.kind === "line" && series.y.length < 30, size: 5 }, show: !state.hidden[i],
    }))],
  };
}

function barOptions(chart, state, width) {
  const count = chart.x.length;
  const shown = () => chart.series.map((_, i) => i).filter((i) => !state.hidden[i]);
  const place = (u, s, i) => {  // left edge and width of a bar, in pixels of the canvas
    const step = u.valToPos(1, "x", true) - u.valToPos(0, "x", true);
    const group = Math.min(0.72 * step, 76 * devicePixelRatio * shown().length);
    const bar = group / shown().length, gap = Math.min(2 * devicePixelRatio, bar / 8);
    return [u.valToPos(i, "x", true) - group / 2 + bar * shown().indexOf(s - 1) + gap / 2, bar - gap];
  };
  const paths = (u, s) => {
    const path = new Path2D(), zero = u.valToPos(0, "y", true);
    u.data[s].forEach((value, i) => {
      if (!isNumber(value)) return;
      const [left, size] = place(u, s, i), top = u.valToPos(value, "y", true);
      path.rect(left, Math.min(top, zero), size, Math.max(1, Math.abs(top - zero)));
    });
    return { fill: path, stroke: path };
  };
  const writeValues = (u) => {
    const { ctx } = u, dpr = devicePixelRatio;
    ctx.save();
    ctx.font = kFont.replace("12px", `${11 * dpr}px`);
    ctx.fillStyle = colours().ink;
    ctx.textAlign = "center";
    // Beside each other they need room: where one has too little, all have two digits.
    const most = (size) => size + (shown().length > 1 ? 0 : 6 * dpr);
    const fits = (value, i, s) => !isNumber(value) || ctx.measureText(numberText(value)).width <= most(place(u, s + 1, i)[1]);
    const digits = shown().every((s) => u.data[s + 1].every((value, i) => fits(value, i, s))) ? 4 : 2;
    for (const s of shown())
      u.data[s + 1].forEach((value, i) => {
        if (!isNumber(value)) return;
        const [left, size] = place(u, s + 1, i), text = numberText(value, digits);
        if (ctx.measureText(text).width > most(size)) return;
        const below = value < 0;
        ctx.textBaseline = below ? "top" : "bottom";
        ctx.fillText(text, left + size / 2, u.valToPos(value, "y", true) + (below ? 3 : -3) * dpr);
      });
    ctx.restore();
  };
  const every = Math.ceil(count / Math.max(1, Math.floor((width - 60) / 34)));
  const range = (_, low, high) => {
    const room = 0.1 * ((Math.max(high, 0) - Math.min(low, 0)) || 1);
    return [low < 0 ? low - room : 0, high > 0 ? high + room : 0];
  };
  return {
    width, height: 250, padding: [12, 12, null, null],
    scales: { x: { time: false, range: [-0.6, count - 0.4] }, y: { range } },
    legend: { show: false },
    cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
    axes: [
      axis(chart.x_label, false, {
        grid: { show: false },
        splits: () => chart.x.map((_, i) => i).filter((i) => i % every === 0),
        values: (_, splits) => splits.map((i) => String(chart.x[i])),
      }),
      valueAxis(chart.y_label, false),
    ],
    series: [{}, ...chart.series.map((series, i) => ({
      label: series.name, width: 0, fill: seriesColour(series, i), paths, points: { show: false }, show: !state.hidden[i],
    }))],
    hooks: { draw: [writeValues] },
  };
}

function hoverValues(chart, state, tip) {
  return (u) => {
    const { idx, left, top } = u.cursor;
    if (idx === null || idx === undefined || left < 0) return tip.hide();
    const x = u.data[0][idx];
    const rows = [];
    chart.series.forEach((series, i) => {
      if (state.hidden[i]) return;
      const value = lastBefore(u.data[i + 1], idx);
      if (value !== null) rows.push([seriesColour(series, i), `${series.name} ${numberText(value)}`]);
    });
    const bar = chart.kind === "bar";
    const heading = `${chart.x_label || (chart.kind === "trace" ? "at" : "")} ${bar ? chart.x[idx] : numberText(x)}`.trim();
    tip.show(left + u.over.offsetLeft, top + u.over.offsetTop, heading, rows);
  };
}

function legend(chart, state, redraw) {
  if (chart.series.length < 2) return null;
  return element("ul", { class: "legend" }, ...chart.series.map((series, i) => {
    const swatch = element("span", { class: "swatch" });
    const button = element("button", { type: "button", "aria-pressed": "true" }, swatch, series.name);
    keepDrawn(() => { swatch.style.background = seriesColour(series, i); });
    button.addEventListener("click", () => {
      state.hidden[i] = !state.hidden[i];
      button.setAttribute("aria-pressed", String(!state.hidden[i]));
      redraw();
    });
    return element("li", {}, button);
  }));
}

function logSwitch(name, state, key, redraw) {
  const button = element("button", { type: "button", "aria-pressed": String(state[key]) }, name);
  button.addEventListener("click", () => {
    state[key] = !state[key];
    button.setAttribute("aria-pressed", String(state[key]));
    redraw();
  });
  return button;
}

// A figure that uPlot draws from options(width) and data(), and redraws whenever they change.
function drawnFigure(chart, state, make) {
  const host = element("div", { class: "plot", role: "img", "aria-label": chart.label });
  const tip = tooltip(host);
  let plot = null;
  const redraw = () => {
    if (plot) plot.destroy();
    const room = printing ? (chart.wide ? 680 : 330) : host.clientWidth;
    const { options, data } = make(Math.max(room, 120), tip);
    plot = new uPlot(options, data, host);
  };
  keepDrawn(redraw);
  new ResizeObserver(() => {
    if (plot && !printing && Math.abs(plot.width - host.clientWidth) > 1) redraw();
  }).observe(host);
  host.addEventListener("mouseleave", tip.hide);
  return { host, redraw };
}

function uplotFigure(chart) {
  const bar = chart.kind === "bar";
  const state = { hidden: chart.series.map(() => false), logX: Boolean(chart.log_x), logY: Boolean(chart.log_y) };
  const { host, redraw } = drawnFigure(chart, state, (width, tip) => {
    const options = bar ? barOptions(chart, state, width) : lineOptions(chart, state, width);
    options.hooks = { ...options.hooks, setCursor: [hoverValues(chart, state, tip)] };
    const data = bar ? [chart.x.map((_, i) => i), ...chart.series.map((series) => series.y)]
                     : aligned(chart, state.logX, state.logY);
    return { options, data };
  });
  const switches = element("span", { class: "switches" });
  if (chart.kind === "line") {
    if (allowsLog(chart.series.flatMap((series) => series.x || chart.x)))
      switches.append(logSwitch("log x", state, "logX", redraw));
    if (allowsLog(chart.series.flatMap((series) => series.y)))
      switches.append(logSwitch("log y", state, "logY", redraw));
  }
  const ownX = chart.series.some((series) => series.x);
  return element("figure", { class: chart.wide ? "wide" : undefined },
    caption(chart, switches),
    legend(chart, state, redraw), host,
    ownX || chart.kind === "trace" ? null : numbers([chart.x_label || "", ...chart.series.map((series) => series.name)],
      chart.x.map((x, i) => [x, ...chart.series.map((series) => series.y[i])])));
}

// Bars on both sides of 0, with names of any length as text.
function nameBars(chart) {
  const most = Math.max(...chart.values.map(Math.abs), chart.most || Number.MIN_VALUE);
  const cells = chart.names.flatMap((name, i) => {
    const fill = element("span", { class: chart.values[i] < 0 ? "fill negative" : "fill" });
    fill.style.width = `${50 * Math.abs(chart.values[i]) / most}%`;
    return [element("span", { class: "name", title: name }, name), element("span", { class: "track" }, fill),
            element("span", { class: "value" }, numberText(chart.values[i]))];
  });
  return element("figure", { class: chart.wide ? "wide" : undefined },
    caption(chart),
    element("div", { class: "bars", role: "group", "aria-label": chart.label }, ...cells));
}
