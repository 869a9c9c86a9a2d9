// Saving a chart: its drawing as an SVG file, or painted as a PNG file.

function download(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function paintPng(svg, done) {
  const image = new Image();
  image.onload = () => {
    const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(done, "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

function saveButtons({ title, svg }) {
  if (!svg) return null;
  const name = title.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase() || "chart";
  const button = (text, save) => {
    const made = element("button", { type: "button", class: "save", "aria-label": `Save ${title} as ${text}` }, text);
    made.addEventListener("click", save);
    return made;
  };
  return element("span", { class: "saves" },
    button("SVG", () => download(new Blob([svg], { type: "image/svg+xml" }), `${name}.svg`)),
    button("PNG", () => paintPng(svg, (blob) => download(blob, `${name}.png`))));
}

// The title of a figure, what else there is to press, and the buttons that save it.
function caption(chart, ...more) {
  return element("figcaption", {}, element("span", { class: "title" }, chart.title), ...more, saveButtons(chart));
}
