// Draws tiles: each face is defined once for the page and used wherever it lies.
import { shape } from "./elements";
import { face, FACES, HEIGHT, WIDTH } from "./faces";
import { words } from "./language";

const NUMERALS = "一二三四五六七八九";
const HONOURS: Record<string, [string, string]> = {
  E: ["东风", "East"],
  S: ["南风", "South"],
  W: ["西风", "West"],
  N: ["北风", "North"],
  C: ["红中", "red"],
  F: ["发财", "green"],
  P: ["白板", "white"],
  back: ["盖牌", "face down"],
  "?": ["未认出的牌", "unread tile"],
};
const FLOWERS: readonly [string, string][] = [
  ["梅", "plum"],
  ["兰", "orchid"],
  ["菊", "chrysanthemum"],
  ["竹", "bamboo"],
  ["春", "spring"],
  ["夏", "summer"],
  ["秋", "autumn"],
  ["冬", "winter"],
];
const SUITS: Record<string, [string, string]> = { m: ["万", "characters"], p: ["筒", "dots"], s: ["条", "bamboo"] };

// Puts all faces into the document, unseen.
export function defineTiles(): void {
  const sheet = shape("svg", { width: 0, height: 0, "aria-hidden": "true", style: "position:absolute" });
  for (const tile of FACES) {
    const symbol = shape("symbol", { id: idOf(tile), viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
    symbol.append(...body(tile === "back"), ...face(tile));
    sheet.append(symbol);
  }
  document.body.prepend(sheet);
}

// The block: its bamboo back looks out below, then the ivory, then the face.
function body(isBack: boolean): SVGElement[] {
  return [
    shape("rect", { x: 1, y: 4, width: 60, height: 78, rx: 8, class: "tile-foot" }),
    shape("rect", { x: 1, y: 1, width: 60, height: 78, rx: 8, class: isBack ? "tile-back" : "tile-side" }),
    ...(isBack ? [] : [shape("rect", { x: 2.2, y: 1.8, width: 57.6, height: 74.4, rx: 7, class: "tile-body" })]),
  ];
}

function idOf(tile: string): string {
  return tile === "?" ? "tile-unread" : `tile-${tile}`;
}

// Chinese and English name of a tile.
export function tileNames(tile: string): [string, string] {
  const special = HONOURS[tile];
  if (special !== undefined) return special;
  const rank = Number(tile[0]);
  if (tile.endsWith("f")) return FLOWERS[rank - 1] ?? ["?", "?"];
  const suit = SUITS[tile[1] ?? ""];
  if (suit === undefined || !(rank >= 1 && rank <= 9)) return ["未知", "unknown"];
  return [`${NUMERALS[rank - 1] ?? "?"}${suit[0]}`, `${rank} of ${suit[1]}`];
}

export function tileName(tile: string): string {
  return tileNames(tile)[0];
}

export function drawTile(tile: string, ...marks: string[]): SVGElement {
  const svg = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: ["tile", ...marks].join(" "),
    role: "img",
    "aria-label": words(...tileNames(tile)),
    "data-tile": tile,
  });
  const known = FACES.includes(tile) ? tile : "?";
  svg.append(shape("use", { href: `#${idOf(known)}` }));
  return svg;
}
