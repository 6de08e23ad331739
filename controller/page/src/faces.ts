// The faces of the tiles as shapes in a cell of 62 x 83: characters, dots, bamboos, honours, flowers, the back.
import { shape } from "./elements";
import { GLYPHS } from "./glyphs";

export const WIDTH = 62;
export const HEIGHT = 83;
const RED = "#b3211b";
const GREEN = "#0f6b37";
const BLUE = "#1c4a97";
const INK = "#161b26";
const NUMERALS = "一二三四五六七八九";
const FLOWERS = "梅蘭菊竹春夏秋冬";
const HONOURS: Record<string, [string, string]> = {
  E: ["東", INK],
  S: ["南", INK],
  W: ["西", INK],
  N: ["北", INK],
  C: ["中", RED],
  F: ["發", GREEN],
};
type Spot = [number, number];

// Every tile there is, in notation.
export const FACES: readonly string[] = [
  ...["m", "p", "s"].flatMap((suit) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((rank) => `${rank}${suit}`)),
  ...["E", "S", "W", "N", "C", "F", "P"],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((rank) => `${rank}f`),
  "back",
  "?",
];

export function face(tile: string): SVGElement[] {
  const rank = Number(tile[0]);
  if (tile === "back") return back();
  if (tile === "?") return unread();
  if (tile === "P") return blank();
  if (tile.endsWith("m")) return [glyph(NUMERALS[rank - 1] ?? "一", 31, 21.5, rank < 4 ? 31 : 29, INK), glyph("萬", 31, 56, 33, RED)];
  if (tile.endsWith("p")) return rank === 1 ? greatDot() : DOTS[rank - 2]?.flatMap((spot, index) => dot(rank, index, spot)) ?? [];
  if (tile.endsWith("s")) return rank === 1 ? bird() : rank === 8 ? eight() : sticks(rank);
  if (tile.endsWith("f")) return flower(rank);
  const [character, colour] = HONOURS[tile] ?? ["一", INK];
  return [glyph(character, 31, 40, 45, colour)];
}

function glyph(character: string, x: number, y: number, size: number, fill: string): SVGElement {
  const scale = size / 100;
  const place = `translate(${x - size / 2} ${y - size / 2}) scale(${scale})`;
  return shape("path", { d: GLYPHS[character] ?? "", fill, transform: place, stroke: fill, "stroke-width": 1.6 });
}

// Dots.
const DOTS: readonly Spot[][] = [
  [[31, 22], [31, 58]],
  [[15, 17.5], [31, 40], [47, 62.5]],
  [[18, 22], [44, 22], [18, 58], [44, 58]],
  [[16, 19], [46, 19], [31, 40], [16, 61], [46, 61]],
  [[19, 16], [43, 16], [19, 40], [43, 40], [19, 62], [43, 62]],
  [[14, 13.5], [31, 20], [48, 26.5], [19, 46], [43, 46], [19, 65], [43, 65]],
  [[19, 13.5], [43, 13.5], [19, 31], [43, 31], [19, 48.5], [43, 48.5], [19, 66], [43, 66]],
  [[13, 17], [31, 17], [49, 17], [13, 40], [31, 40], [49, 40], [13, 63], [31, 63], [49, 63]],
];
const RADII: readonly number[] = [13, 11, 11, 9.6, 10, 8.2, 8, 8.2];
const DOT_COLOURS: readonly string[][] = [
  [GREEN, BLUE],
  [BLUE, RED, GREEN],
  [BLUE, GREEN, GREEN, BLUE],
  [BLUE, GREEN, RED, GREEN, BLUE],
  [GREEN, GREEN, RED, RED, RED, RED],
  [GREEN, GREEN, GREEN, RED, RED, RED, RED],
  [BLUE, BLUE, BLUE, BLUE, BLUE, BLUE, BLUE, BLUE],
  [GREEN, GREEN, GREEN, RED, RED, RED, BLUE, BLUE, BLUE],
];

function dot(rank: number, index: number, [cx, cy]: Spot): SVGElement[] {
  const radius = RADII[rank - 2] ?? 8;
  const colour = DOT_COLOURS[rank - 2]?.[index] ?? BLUE;
  return [
    shape("circle", { cx, cy, r: radius * 0.86, fill: "none", stroke: colour, "stroke-width": radius * 0.28 }),
    shape("circle", { cx, cy, r: radius * 0.47, fill: colour }),
    petals(cx, cy, radius * 0.2, radius * 0.12, 4, "#fffdf4"),
  ];
}

function petals(cx: number, cy: number, from: number, r: number, count: number, fill: string): SVGElement {
  const group = shape("g", { fill });
  for (let each = 0; each < count; each++) {
    const angle = (each / count) * 2 * Math.PI;
    group.append(shape("circle", { cx: cx + from * Math.cos(angle), cy: cy + from * Math.sin(angle), r }));
  }
  return group;
}

function greatDot(): SVGElement[] {
  const [cx, cy] = [31, 40];
  return [
    shape("circle", { cx, cy, r: 23.5, fill: "none", stroke: GREEN, "stroke-width": 3.6 }),
    petals(cx, cy, 18.4, 1.9, 16, GREEN),
    shape("circle", { cx, cy, r: 14.6, fill: "none", stroke: RED, "stroke-width": 1.6 }),
    petals(cx, cy, 9.2, 3.4, 8, RED),
    shape("circle", { cx, cy, r: 6.2, fill: "#fffdf4" }),
    shape("circle", { cx, cy, r: 4.6, fill: GREEN }),
  ];
}

// Bamboos: two joints with a node between and at the ends.
const STICKS: Record<number, Spot[]> = {
  2: [[31, 23], [31, 57]],
  3: [[31, 23], [18, 57], [44, 57]],
  4: [[18, 23], [44, 23], [18, 57], [44, 57]],
  5: [[16, 23], [46, 23], [31, 40], [16, 57], [46, 57]],
  6: [[14, 23], [31, 23], [48, 23], [14, 57], [31, 57], [48, 57]],
  7: [[31, 14.5], [14, 40], [31, 40], [48, 40], [14, 65], [31, 65], [48, 65]],
  9: [[14, 15], [31, 15], [48, 15], [14, 40], [31, 40], [48, 40], [14, 65], [31, 65], [48, 65]],
};

function sticks(rank: number): SVGElement[] {
  const length = rank < 7 ? 30 : 22;
  return (STICKS[rank] ?? []).map(([x, y], index) => {
    const red = (rank === 5 && index === 2) || (rank === 7 && index === 0) || (rank === 9 && index % 3 === 1);
    const blue = rank === 9 && index % 3 === 2 ? BLUE : GREEN;
    return stick(x, y, length, 0, red ? RED : blue);
  });
}

function stick(x: number, y: number, length: number, lean: number, fill: string): SVGElement {
  const half = length / 2;
  const joint = (from: number, to: number): string =>
    `M-3.4 ${from}Q-2.2 ${(from + to) / 2} -3.4 ${to}Q0 ${to + 1.6} 3.4 ${to}Q2.2 ${(from + to) / 2} 3.4 ${from}Q0 ${from - 1.6} -3.4 ${from}Z`;
  const group = shape("g", { transform: `translate(${x} ${y}) rotate(${lean})`, fill });
  group.append(
    shape("path", { d: joint(-half + 0.8, -1.1) }),
    shape("path", { d: joint(1.1, half - 0.8) }),
    shape("path", { d: `M0 ${-half + 3}V-3.4M0 3.4V${half - 3}`, stroke: "#fffdf4", "stroke-width": 0.9, fill: "none" }),
  );
  return group;
}

function eight(): SVGElement[] {
  const upper: [number, number, number][] = [[11, 23, 0], [24.4, 23, 33], [37.6, 23, -33], [51, 23, 0]];
  return [
    ...upper.map(([x, y, lean]) => stick(x, y, 27, -lean, GREEN)),
    ...upper.map(([x, y, lean]) => stick(x, y + 34, 27, lean, GREEN)),
  ];
}

function bird(): SVGElement[] {
  const feather = (lean: number, length: number, fill: string): SVGElement =>
    shape("path", { d: `M0 0C-5 ${length * 0.4} -4.4 ${length * 0.85} 0 ${length}C4.4 ${length * 0.85} 5 ${length * 0.4} 0 0Z`, fill, transform: `translate(30 44) rotate(${lean})` });
  return [
    feather(34, 31, BLUE),
    feather(12, 33, GREEN),
    feather(-10, 31, RED),
    shape("path", { d: "M21 13C31 6 42 12 41 22C49 28 49 44 36 51C26 55 17 48 18 38C18 31 24 28 24 22C24 19 22 18 18 18Z", fill: GREEN }),
    shape("path", { d: "M24 34C31 29 42 33 44 40C38 45 28 46 24 34Z", fill: RED }),
    shape("path", { d: "M27 36.5C32 34 38 35.5 41 39.5M27.5 39.5C32 40.5 36 41 39 41.5", stroke: "#fffdf4", "stroke-width": 1.2, fill: "none" }),
    shape("path", { d: "M21.5 13.5L12.5 17.4L23 19.6Z", fill: RED }),
    shape("circle", { cx: 29, cy: 16.4, r: 2.9, fill: "#fffdf4" }),
    shape("circle", { cx: 28.6, cy: 16.4, r: 1.5, fill: INK }),
    shape("path", { d: "M34 8.5C37 3.5 42 4 44 6.5C40 6.5 37.6 8 36.5 10.6Z", fill: RED }),
    shape("path", { d: "M37 51V59M37 59L32.5 61.5M37 59L41.8 61.2M31 53V60M31 60L26.8 62M31 60L35 62.4", stroke: RED, "stroke-width": 1.7, fill: "none" }),
  ];
}

// White dragon, flowers, the back, and a tile that nobody has read.
function blank(): SVGElement[] {
  return [
    shape("rect", { x: 11.5, y: 13, width: 39, height: 54, rx: 4, fill: "none", stroke: BLUE, "stroke-width": 3.4 }),
    shape("rect", { x: 16.8, y: 18.3, width: 28.4, height: 43.4, rx: 2, fill: "none", stroke: BLUE, "stroke-width": 1.3 }),
    ...([[11.5, 13], [50.5, 13], [11.5, 67], [50.5, 67]] as Spot[]).map(([cx, cy]) => shape("circle", { cx, cy, r: 2.9, fill: BLUE })),
  ];
}

function flower(rank: number): SVGElement[] {
  const colour = rank > 4 ? RED : GREEN;
  return [
    glyph(FLOWERS[rank - 1] ?? "梅", 31, 31, 34, colour),
    petals(31, 62, 5.6, 4.4, 5, rank > 4 ? BLUE : RED),
    shape("circle", { cx: 31, cy: 62, r: 3.2, fill: "#f4c542" }),
    ...pips(rank > 4 ? rank - 4 : rank),
  ];
}

function pips(count: number): SVGElement[] {
  return Array.from({ length: count }, (_, index) => shape("rect", { x: 49, y: 9 + index * 4.4, width: 5, height: 2.2, fill: INK }));
}

function back(): SVGElement[] {
  return [
    shape("rect", { x: 6, y: 6.5, width: 50, height: 67, rx: 4, fill: "none", stroke: "#7fc2a0", "stroke-width": 1.4 }),
    shape("path", { d: "M31 20L45 40L31 60L17 40Z", fill: "none", stroke: "#7fc2a0", "stroke-width": 1.8 }),
    shape("path", { d: "M31 29L38.5 40L31 51L23.5 40Z", fill: "#7fc2a0" }),
  ];
}

function unread(): SVGElement[] {
  return [
    shape("rect", { x: 6, y: 6, width: 50, height: 68, rx: 5, fill: "none", stroke: INK, "stroke-width": 2.4, "stroke-dasharray": "6 4" }),
    shape("path", { d: "M20.5 30C20.5 15 42 15 42 29C42 38 32 38.5 31.4 48", fill: "none", stroke: INK, "stroke-width": 5.4, "stroke-linecap": "round" }),
    shape("circle", { cx: 31.2, cy: 58.5, r: 3.5, fill: INK }),
  ];
}
