// Runs whose reports are looked at: every problem, csv files with names that would do harm as markup, pixels.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const kHarm = "<script>alert(1)</script>";
const kClass = "<img src=x onerror=alert(2)>";

// Two csv files with a column in common but for a little noise, and the class of each row.
function writeTables(folder) {
  let seed = 1;
  const random = () => { seed = (seed * 48271) % 2147483647; return seed / 2147483647 - 0.5; };
  const left = [`"${kHarm}","b & c","${"long ".repeat(30)}"`], right = ["x,y,z"], labels = [];
  for (let i = 0; i < 300; ++i) {
    const shared = random();
    left.push([shared, random() + (i % 3), random()].join());
    right.push([shared + 0.1 * random(), random() - (i % 3), random()].join());
    labels.push(["plain", kClass, "other"][i % 3]);
  }
  for (const [name, lines] of [["left.csv", left], ["right.csv", right], ["labels.txt", labels]])
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
}

export function makeRuns(folder, landfall) {
  writeTables(folder);
  landfall("data", "planted-cca", "planted", "-N", "3000", "--left", "24", "--right", "24", "--correlations", "0.9,0.7,0.5");
  landfall("data", "laplace-ica", "mixed", "-N", "4000");
  landfall("data", "pencil", "pencil", "-n", "60");
  landfall("cca", "left.csv", "right.csv", "-p", "2", "--labels", "labels.txt", "--out", "named");
  landfall("cca", "planted/left.npy", "planted/right.npy", "-p", "3", "--method", "landing", "--held-out", "0.2", "--image", "6x4", "--out", "pictures");
  landfall("ica", "mixed/data.npy", "--out", "sources");
  landfall("lda", "left.csv", "--labels", "labels.txt", "--out", "classes");
  landfall("gevp", "pencil/A.npy", "pencil/B.npy", "-p", "4", "--method", "landing", "--out", "pairs");

  const run = (name, values, headings, shows) => {
    const at = join(folder, name), summary = JSON.parse(readFileSync(join(at, "summary.json"), "utf8"));
    return { name, folder: at, bars: summary[values], headings: ["Result", "Plan", "How to reproduce it", ...headings], shows: ["--out " + name, ...shows] };
  };
  return [
    run("named", "correlations", ["Canonical variates", "Weights"], [kHarm, kClass, "b & c", "landfall cca left.csv right.csv -p 2"]),
    run("pictures", "correlations", ["Canonical variates", "Weights", "Convergence"], ["pair 3", "held out", "--image 6x4"]),
    run("sources", "negentropy", ["Sources", "Weights", "Convergence"], ["source 1"]),
    run("classes", "eigenvalues", ["Rows in the first discriminant directions", "Weights"], [kHarm, kClass]),
    run("pairs", "eigenvalues", ["Eigenvectors", "Convergence"], ["eigenvector 1"]),
  ];
}
