// Points in the plane, one colour for each class.

// uPlot requires one ascending x for all series: every point is a row, with its y in the column of its class.
function sortedPoints(list) {
  const points = list.flatMap((series, s) =>
    series.x.map((x, i) => ({ x, y: series.y[i], s, row: series.rows ? series.rows[i] : null }))
      .filter(({ x, y }) => isNumber(x) && isNumber(y)));
  return points.sort((a, b) => a.x - b.x);
}

// Which of several pairs of numbers the chart shows.
function choiceOf(choices, show) {
  const list = element("select", { "aria-label": "Which pair" }, ...choices.map(({ name }, i) => element("option", { value: i }, name)));
  list.addEventListener("change", () => show(choices[Number(list.value)]));
  return list;
}

function scatterFigure(chart) {
  const state = { hidden: chart.series.map(() => false) };
  let shown = chart, points = sortedPoints(chart.series);
  const size = points.length > 600 ? 4.5 : 6;

  const nearest = (u) => {
    let best = null, least = 18 * 18;
    for (const point of points) {
      if (state.hidden[point.s]) continue;
      const dx = u.valToPos(point.x, "x") - u.cursor.left, dy = u.valToPos(point.y, "y") - u.cursor.top;
      if (dx * dx + dy * dy < least) [best, least] = [point, dx * dx + dy * dy];
    }
    return best;
  };
  const hover = (tip) => (u) => {
    if (u.cursor.left < 0 || u.cursor.idx === null) return tip.hide();
    const point = nearest(u);
    if (!point) return tip.hide();
    const series = shown.series[point.s];
    const heading = point.row === null ? "" : `row ${numberText(point.row)}`;
    tip.show(u.valToPos(point.x, "x") + u.over.offsetLeft, u.valToPos(point.y, "y") + u.over.offsetTop, heading,
             [[seriesColour(series, point.s), series.name],
              [null, `${numberText(point.x)}, ${numberText(point.y)}`]]);
  };

  const { host, redraw } = drawnFigure(chart, state, (width, tip) => ({
    options: {
      width, height: Math.round(Math.min(420, Math.max(300, 0.8 * width))), padding: [10, 14, null, null],
      scales: { x: { time: false, range: (_, low, high) => uPlot.rangeNum(low, high, 0.04, true) } },
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: true } },
      axes: [axis(shown.x_label, false), valueAxis(shown.y_label, false)],
      series: [{}, ...chart.series.map((series, i) => {
        const colour = seriesColour(series, i);
        return {
          label: series.name, stroke: colour, paths: () => null, show: !state.hidden[i],
          points: { show: true, size, width: 0, fill: `${colour}b0`, stroke: colour },
        };
      })],
      hooks: { setCursor: [hover(tip)] },
    },
    data: [points.map((point) => point.x),
           ...chart.series.map((_, s) => points.map((point) => (point.s === s ? point.y : null)))],
  }));
  const choice = chart.choices ? choiceOf(chart.choices, (chosen) => {
    shown = chosen;
    points = sortedPoints(chosen.series);
    redraw();
  }) : null;
  return element("figure", { class: chart.wide ? "wide" : undefined },
    caption(chart, choice),
    legend(chart, state, redraw), host);
}
