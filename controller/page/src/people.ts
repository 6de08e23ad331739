// Who sits where: names, winds, the side of the screen, and a drawn portrait for each.
import { shape } from "./elements";
import type { Seat, State } from "./payloads";

const WINDS: [string, string][] = [
  ["东", "East"],
  ["南", "South"],
  ["西", "West"],
  ["北", "North"],
];
export type Side = "bottom" | "right" | "top" | "left";
const SIDES: readonly Side[] = ["bottom", "right", "top", "left"];
const ARROWS: Record<Side, string> = { bottom: "↓", right: "→", top: "↑", left: "←" };

// Who looks at the page sits below; `?seat=2` in its address puts that seat there.
const nearest = Number(new URLSearchParams(location.search).get("seat") ?? 0) || 0;

export function sideOf(seat: Seat): Side {
  return SIDES[(seat - nearest + 8) % 4] ?? "bottom";
}

export function arrowTo(seat: Seat): string {
  return ARROWS[sideOf(seat)];
}

export function wind(seat: Seat, dealer: Seat | null | undefined): [string, string] {
  if (dealer === null || dealer === undefined) return ["–", ""];
  return WINDS[(seat - dealer + 4) % 4] ?? ["–", ""];
}

export function playerName(state: State, seat: Seat): string {
  return state.table?.players[seat] || `座位 ${seat + 1}`;
}

const COATS = ["#2f6fb3", "#b0522d", "#6a4fa3", "#2f8f6b", "#a33b5e", "#7a6a24"];
const SKINS = ["#f2cfae", "#e6b98f", "#f6dcc2"];
const HAIR = ["#1d1a1a", "#4a3326", "#7d7d80", "#2b2630"];
const CUTS = [
  "M15 29C13 12 24 8 32 9C42 9 50 15 48 30C44 21 38 19 31 20C24 20 18 22 15 29Z",
  "M14 34C11 12 22 7 32 8C44 8 53 14 50 35L46 36C47 27 44 22 32 21C20 22 17 27 18 36Z",
  "M16 26C16 12 26 9 33 10C42 9 48 16 47 26C42 22 40 17 27 19C22 20 19 22 16 26Z",
  "M13 42C9 14 21 7 32 8C45 8 55 15 51 42C48 44 46 40 46 33C45 24 40 21 32 21C23 21 19 24 18 33C18 40 16 44 13 42Z",
];

// A portrait that goes with the name and the seat, always the same one.
export function portrait(name: string, seat: Seat): SVGElement {
  const number = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, seat + 7);
  const of = <T>(choices: readonly T[], step: number): T | undefined => choices[Math.floor(number / step) % choices.length];
  const svg = shape("svg", { viewBox: "0 0 64 64", class: "portrait", "aria-hidden": "true" });
  const skin = of(SKINS, 5) ?? "#f2cfae";
  svg.append(
    shape("circle", { cx: 32, cy: 32, r: 32, fill: "#dfe8df" }),
    shape("path", { d: "M6 60C8 46 20 44 32 44C44 44 56 46 58 60A32 32 0 0 1 6 60Z", fill: COATS[(number + seat) % COATS.length] ?? "#2f6fb3" }),
    shape("path", { d: "M26 38H38V46C38 50 26 50 26 46Z", fill: skin }),
    shape("ellipse", { cx: 32, cy: 29, rx: 14, ry: 16, fill: skin }),
    shape("path", { d: of(CUTS, 3) ?? "", fill: of(HAIR, 11) ?? "#1d1a1a" }),
    shape("path", { d: "M26 30V31.5M38 30V31.5M28 38Q32 41 36 38", stroke: "#3a2a22", "stroke-width": 2, "stroke-linecap": "round", fill: "none" }),
  );
  if (number % 3 === 0)
    svg.append(shape("path", { d: "M21 31A5 5 0 1 0 31 31A5 5 0 1 0 21 31M33 31A5 5 0 1 0 43 31A5 5 0 1 0 33 31M31 30H33", stroke: "#2b2f3a", "stroke-width": 1.4, fill: "none" }));
  return svg;
}
