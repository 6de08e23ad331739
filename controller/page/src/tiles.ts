// Draws a tile as SVG: numerals and 萬, dots, bamboo, honours, flowers, the back.
import { shape } from "./elements";

const WIDTH = 62;
const HEIGHT = 83;
const RED = "#b3261e";
const GREEN = "#14723a";
const BLUE = "#1f4e9c";
const INK = "#1d2433";
const NUMERALS = "一二三四五六七八九";
const HONOURS: Record<string, [string, string]> = {
  E: ["東", INK],
  S: ["南", INK],
  W: ["西", INK],
  N: ["北", INK],
  C: ["中", RED],
  F: ["發", GREEN],
};
const FLOWERS = "梅蘭菊竹春夏秋冬";

// Where the dots and sticks of each number stand: columns and rows in tenths of the face.
const GRID: Record<number, [number, number][]> = {
  1: [[5, 5]],
  2: [[5, 2.5], [5, 7.5]],
  3: [[2.4, 2], [5, 5], [7.6, 8]],
  4: [[2.9, 2.5], [7.1, 2.5], [2.9, 7.5], [7.1, 7.5]],
  5: [[2.6, 2.2], [7.4, 2.2], [5, 5], [2.6, 7.8], [7.4, 7.8]],
  6: [[2.9, 1.8], [7.1, 1.8], [2.9, 5], [7.1, 5], [2.9, 8.2], [7.1, 8.2]],
  7: [[2.1, 1.5], [5, 2.5], [7.9, 3.5], [2.9, 6], [7.1, 6], [2.9, 8.5], [7.1, 8.5]],
  8: [[2.9, 1.5], [7.1, 1.5], [2.9, 3.9], [7.1, 3.9], [2.9, 6.2], [7.1, 6.2], [2.9, 8.5], [7.1, 8.5]],
  9: [[2.1, 2], [5, 2], [7.9, 2], [2.1, 5], [5, 5], [7.9, 5], [2.1, 8], [5, 8], [7.9, 8]],
};
const STICKS: Record<number, [number, number][]> = {
  ...GRID,
  3: [[5, 2.6], [2.9, 7.4], [7.1, 7.4]],
  6: [[2.2, 2.7], [5, 2.7], [7.8, 2.7], [2.2, 7.3], [5, 7.3], [7.8, 7.3]],
  7: [[5, 1.9], [2.2, 5], [5, 5], [7.8, 5], [2.2, 8.1], [5, 8.1], [7.8, 8.1]],
  8: [[2, 2.7], [4, 2.7], [6, 2.7], [8, 2.7], [2, 7.3], [4, 7.3], [6, 7.3], [8, 7.3]],
};

export function tileName(tile: string): string {
  const rank = Number(tile[0]);
  if (tile.endsWith("m")) return `${NUMERALS[rank - 1] ?? "?"}万`;
  if (tile.endsWith("p")) return `${NUMERALS[rank - 1] ?? "?"}筒`;
  if (tile.endsWith("s")) return `${NUMERALS[rank - 1] ?? "?"}条`;
  if (tile.endsWith("f")) return FLOWERS[rank - 1] ?? "?";
  return { E: "东风", S: "南风", W: "西风", N: "北风", C: "红中", F: "发财", P: "白板" }[tile] ?? "未知";
}

export function drawTile(tile: string, ...marks: string[]): SVGElement {
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: ["tile", ...marks].join(" "),
    role: "img",
    "aria-label": tile === "back" ? "盖牌" : tileName(tile),
    "data-tile": tile,
  });
  const back = tile === "back";
  svg.append(
    shape("rect", { x: 1, y: 1, width: WIDTH - 2, height: HEIGHT - 2, rx: 7, class: back ? "tile-back" : "tile-body" }),
  );
  if (!back) svg.append(...face(tile));
  return svg;
}

function face(tile: string): SVGElement[] {
  const rank = Number(tile[0]);
  const suit = tile[1];
  if (suit === "m") return [glyph(NUMERALS[rank - 1] ?? "?", 31, 24, 34, INK), glyph("萬", 31, 60, 36, RED)];
  if (suit === "p") return dots(rank);
  if (suit === "s") return rank === 1 ? bird() : sticks(rank);
  if (suit === "f") return [glyph(FLOWERS[rank - 1] ?? "?", 31, 43, 42, rank > 4 ? RED : GREEN)];
  if (tile === "P") return [shape("rect", { x: 13, y: 16, width: 36, height: 51, rx: 3, class: "tile-white" })];
  const honour = HONOURS[tile];
  return honour === undefined ? [glyph("?", 31, 43, 46, INK)] : [glyph(honour[0], 31, 43, 48, honour[1])];
}

function glyph(text: string, x: number, y: number, size: number, fill: string): SVGElement {
  return shape("text", { x, y, fill, "font-size": size, class: "tile-glyph" }, text);
}

function place(spot: [number, number]): [number, number] {
  return [6 + spot[0] * 5, 7 + spot[1] * 6.9];
}

function dots(rank: number): SVGElement[] {
  const radius = rank === 1 ? 20 : rank <= 4 ? 9.5 : rank <= 7 ? 7.6 : 7.2;
  return (GRID[rank] ?? []).flatMap((spot, index) => {
    const [cx, cy] = place(spot);
    const colour = dotColour(rank, index);
    const ring = { cx, cy, r: radius - 1, fill: "none", stroke: colour, "stroke-width": radius * 0.34 };
    const inner = { cx, cy, r: radius * 0.34, fill: rank === 1 ? RED : colour };
    return [shape("circle", ring), shape("circle", inner)];
  });
}

function dotColour(rank: number, index: number): string {
  if (rank === 1) return GREEN;
  if (rank === 2) return index === 0 ? GREEN : BLUE;
  if (rank === 3) return [BLUE, RED, GREEN][index] ?? BLUE;
  if (rank === 5 && index === 2) return RED;
  if (rank === 6) return index < 2 ? GREEN : RED;
  if (rank === 7) return index < 3 ? GREEN : RED;
  if (rank === 9) return [GREEN, RED, BLUE][Math.floor(index / 3)] ?? BLUE;
  return index % 2 === 0 ? BLUE : rank === 8 ? BLUE : GREEN;
}

function sticks(rank: number): SVGElement[] {
  const spots = STICKS[rank] ?? [];
  const length = rank <= 6 ? 26 : rank === 8 ? 26 : 19;
  return spots.flatMap((spot, index) => {
    const [x, y] = place(spot);
    const red = (rank === 5 && index === 2) || (rank === 7 && index === 0) || (rank === 9 && index % 3 === 1);
    const colour = red ? RED : GREEN;
    const lean = rank === 8 ? eightLean(index) : 0;
    const group = shape("g", { transform: `rotate(${lean} ${x} ${y})`, fill: colour });
    group.append(
      shape("rect", { x: x - 3.1, y: y - length / 2, width: 6.2, height: length / 2 - 1, rx: 3 }),
      shape("rect", { x: x - 3.1, y: y + 1, width: 6.2, height: length / 2 - 1, rx: 3 }),
    );
    return [group];
  });
}

function eightLean(index: number): number {
  return [0, -28, 28, 0, 0, 28, -28, 0][index] ?? 0;
}

function bird(): SVGElement[] {
  return [
    shape("path", { d: "M20 66 Q12 40 31 30 Q50 42 42 66 Q31 58 20 66 Z", fill: GREEN }),
    shape("circle", { cx: 31, cy: 21, r: 9.5, fill: GREEN }),
    shape("path", { d: "M38 17 L49 21 L38 25 Z", fill: RED }),
    shape("circle", { cx: 33, cy: 19, r: 2.2, fill: "#fff" }),
    shape("path", { d: "M25 47 Q31 54 37 47 M24 55 Q31 62 38 55", stroke: RED, "stroke-width": 2.6, fill: "none" }),
    shape("path", { d: "M27 64 V75 M35 64 V75", stroke: RED, "stroke-width": 3 }),
  ];
}
