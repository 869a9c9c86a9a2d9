// Elements and numbers. Text from the data only ever becomes text: nothing here parses markup.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== null) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

// Significant digits; powers of ten where those would be long.
function numberText(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "\u2013";
  if (Array.isArray(value)) return value.map((one) => numberText(one, digits)).join(" and ");
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return value.toLocaleString("en-GB").replaceAll(",", "\u202f");
  if (size < 1e-4 || size >= 1e7) return value.toExponential(2).replace("e+", "e").replace("-", "\u2212");
  return String(Number(value.toPrecision(digits))).replace("-", "\u2212");
}

function table({ columns, rows, best = [] }) {
  const numeric = columns.map((_, j) => rows.every((row) => row[j] === null || typeof row[j] === "number"));
  const kind = (j) => (numeric[j] ? "number" : undefined);
  const head = columns.map((name, j) => element("th", { scope: "col", class: kind(j) }, name));
  const body = rows.map((row, i) =>
    element("tr", { class: best.includes(i) ? "best" : undefined },
            ...row.map((value, j) => element("td", { class: kind(j) }, numberText(value)))));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
                 element("table", { class: columns.length > 5 ? "wide" : undefined },
                         element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

const kMostNumbers = 400;

// The numbers of a chart, collapsed; nothing for a chart with many points.
function numbers(columns, rows) {
  if (rows.length * columns.length > kMostNumbers) return null;
  return element("details", {}, element("summary", {}, "Show numbers"), table({ columns, rows }));
}

// A text that follows the pointer within `host`; show() takes a heading and rows of [colour, text].
function tooltip(host) {
  const tip = element("div", { class: "tip", hidden: "" });
  host.append(tip);
  return {
    hide: () => { tip.hidden = true; },
    show(x, y, heading, rows) {
      tip.replaceChildren(element("div", { class: "head" }, heading), ...rows.map(([colour, text]) => {
        const row = element("div", { class: "row" });
        if (colour) {
          const swatch = element("span", { class: "swatch" });
          swatch.style.background = colour;
          row.append(swatch);
        }
        row.append(element("span", {}, text));
        return row;
      }));
      tip.hidden = false;
      const left = x + 14 + tip.offsetWidth > host.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
      tip.style.left = `${Math.max(0, Math.min(left, host.clientWidth - tip.offsetWidth))}px`;
      tip.style.top = `${Math.max(0, y - tip.offsetHeight - 6)}px`;
    },
  };
}
