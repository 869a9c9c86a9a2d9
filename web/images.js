// Weights as images: blue above 0, red below; each image is scaled by its own largest weight.

function mix([r, g, b], [r2, g2, b2], t) {
  return [r + (r2 - r) * t, g + (g2 - g) * t, b + (b2 - b) * t];
}

function divergingColour(value) {
  const [negative, none, positive] = colours().diverging;
  return mix(none, value < 0 ? negative : positive, Math.sqrt(Math.min(1, Math.abs(value))));
}

function paint(canvas, values, most) {
  const pixels = new ImageData(canvas.width, canvas.height);
  values.forEach((value, i) => pixels.data.set([...divergingColour(value / most), 255], 4 * i));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
}

function picture(images, { name, parts }) {
  const { height, width } = images;
  const most = Math.max(...parts.flatMap((part) => part.values.map(Math.abs)), Number.MIN_VALUE);
  const zoom = Math.max(1, Math.floor(Math.min(24, 240 / Math.max(height, width * parts.length))));
  const box = element("div", { class: "parts", role: "img", "aria-label": `Weights of ${name} as an image of ${height} by ${width} pixels` });
  const tip = tooltip(box);
  for (const part of parts) {
    const canvas = element("canvas", { width, height });
    canvas.style.width = `${width * zoom + 2}px`;
    canvas.style.height = `${height * zoom + 2}px`;
    keepDrawn(() => paint(canvas, part.values, most));
    canvas.addEventListener("mousemove", (event) => {
      const x = Math.min(width - 1, Math.max(0, Math.floor(event.offsetX / zoom)));
      const y = Math.min(height - 1, Math.max(0, Math.floor(event.offsetY / zoom)));
      tip.show(canvas.offsetLeft + event.offsetX, event.offsetY, `${part.name ? `${part.name}, ` : ""}row ${y + 1}, column ${x + 1}`,
               [[null, numberText(part.values[y * width + x])]]);
    });
    canvas.addEventListener("mouseleave", tip.hide);
    box.append(canvas);
  }
  return element("figure", {}, box, element("figcaption", {}, name));
}

function pictures(images) {
  const ramp = element("span", {});
  keepDrawn(() => {
    const stops = [-1, -0.5, -0.25, -0.05, 0, 0.05, 0.25, 0.5, 1].map((value) => `rgb(${divergingColour(value).map(Math.round)}) ${50 + 50 * value}%`);
    ramp.style.background = `linear-gradient(to right, ${stops})`;
  });
  return [element("div", { class: "pictures" }, ...images.pictures.map((one) => picture(images, one))),
          element("div", { class: "scale" }, "negative", ramp, "positive")];
}
