// Colours of canvas drawings: those of the screen theme; on paper always the light ones.

const kLight = {
  ink: "#1b2430", quiet: "#5d6b7c", line: "#e6ebf0", card: "#ffffff",
  series: ["#1f6feb", "#d1582b", "#1a8f5c", "#8a4fd3", "#c2920a", "#0e8fa8", "#cf3d7f", "#6b7684", "#7a8b1c", "#8c5a3c"],
  // weights: negative, zero, positive
  diverging: [[178, 56, 24], [247, 247, 247], [21, 88, 196]],
};
const kDark = {
  ink: "#e4e9f0", quiet: "#96a3b3", line: "#28303a", card: "#171c23",
  series: ["#6ea8ff", "#f0895f", "#4cc38a", "#b58cf2", "#e0b93f", "#4fc3d9", "#f279ae", "#a3aebb", "#b3c354", "#c9997a"],
  diverging: [[255, 140, 92], [25, 31, 39], [110, 176, 255]],
};

const darkScreen = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const colours = () => (darkScreen.matches && !printing ? kDark : kLight);
// Colour of series i: by its number, or the one it requests; faint if it accompanies another series.
function seriesColour({ colour, faint }, i) {
  const { series } = colours();
  return series[(colour ?? i) % series.length] + (faint ? "70" : "");
}

// Drawings that are redrawn when their colours or their size change.
const drawings = [];
function keepDrawn(draw) {
  drawings.push(draw);
}
function drawAll() {
  for (const draw of drawings) draw();
}
darkScreen.addEventListener("change", drawAll);
addEventListener("beforeprint", () => { printing = true; drawAll(); });
addEventListener("afterprint", () => { printing = false; drawAll(); });
