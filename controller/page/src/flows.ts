// Draws who pays whom: the four seats as they sit, an arrow from each who pays, with how much.
import { shape } from "./elements";
import { words } from "./language";
import { SEATS, type Seat, type Settlement, type State } from "./payloads";
import { playerName, wind } from "./table";
import { shortened } from "./chart";

export interface Flow {
  from: Seat;
  to: Seat;
  points: number;
}

interface Spot {
  x: number;
  y: number;
}

const WIDTH = 940;
const HEIGHT = 300;
const BOX: Spot = { x: 104, y: 40 };
// Seat 1 sits below, the next one at its right, as at the table.
const SPOTS: readonly Spot[] = [
  { x: 470, y: 257 },
  { x: 826, y: 150 },
  { x: 470, y: 43 },
  { x: 114, y: 150 },
];
const GAP = 8;

// Each who loses pays the winner; where several win, each of them gets his part of what each loser pays.
export function flowsOf(payments: readonly number[]): Flow[] {
  const won = SEATS.reduce<number>((sum, seat) => sum + Math.max(0, payments[seat] ?? 0), 0);
  return SEATS.flatMap((from) =>
    SEATS.flatMap((to) => {
      const [lost, gained] = [-(payments[from] ?? 0), payments[to] ?? 0];
      const points = lost > 0 && gained > 0 ? Math.round((lost * gained) / won) : 0;
      return points > 0 ? [{ from, to, points }] : [];
    }),
  );
}

export function drawFlows(state: State, settlement: Settlement, dealer: Seat | null): SVGElement {
  const flows = flowsOf(settlement.payments);
  const told = flows.map(({ from, to, points }) => `${playerName(state, from)} → ${playerName(state, to)} ${points}`);
  const label = told.length === 0 ? words("没有人付", "nobody pays") : told.join("，");
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "flows", role: "img", "aria-label": label });
  svg.append(shape("rect", { x: 310, y: 96, width: 320, height: 108, rx: 14, class: "flow-table" }));
  const most = Math.max(1, ...flows.map((flow) => flow.points));
  svg.append(...flows.flatMap((flow) => arrow(flow, most)));
  svg.append(...SEATS.map((seat) => place(state, settlement, seat, dealer)));
  svg.append(...flows.map(amount));
  return svg;
}

// From the edge of one box to the edge of the other; the more is paid, the wider.
function ends({ from, to }: Flow): [Spot, Spot] {
  const [start, end] = [SPOTS[from] ?? { x: 0, y: 0 }, SPOTS[to] ?? { x: 0, y: 0 }];
  return [edge(start, end), edge(end, start)];
}

function edge(of: Spot, towards: Spot): Spot {
  const [dx, dy] = [towards.x - of.x, towards.y - of.y];
  const reach = Math.min(dx === 0 ? Infinity : (BOX.x + GAP) / Math.abs(dx), dy === 0 ? Infinity : (BOX.y + GAP) / Math.abs(dy));
  return { x: of.x + dx * reach, y: of.y + dy * reach };
}

function arrow(flow: Flow, most: number): SVGElement[] {
  const [start, end] = ends(flow);
  const width = 5 + 7 * (flow.points / most);
  const long = Math.hypot(end.x - start.x, end.y - start.y);
  const [ux, uy] = [(end.x - start.x) / long, (end.y - start.y) / long];
  const head = 13 + width;
  const neck = { x: end.x - ux * head, y: end.y - uy * head };
  const half = head * 0.62;
  return [
    shape("path", { d: `M${start.x} ${start.y} L${neck.x} ${neck.y}`, "stroke-width": width, pathLength: 1, class: "flow" }),
    shape("path", {
      d: `M${end.x} ${end.y} L${neck.x - uy * half} ${neck.y + ux * half} L${neck.x + uy * half} ${neck.y - ux * half} Z`,
      class: "flow-head",
    }),
  ];
}

function amount(flow: Flow): SVGElement {
  const [start, end] = ends(flow);
  const [x, y] = [start.x + (end.x - start.x) * 0.42, start.y + (end.y - start.y) * 0.42];
  const text = String(flow.points);
  const half = 14 + 10 * text.length;
  const group = shape("g", { class: "flow-amount" });
  group.append(
    shape("rect", { x: x - half, y: y - 22, width: 2 * half, height: 44, rx: 22 }),
    shape("text", { x, y: y + 1 }, text),
  );
  return group;
}

function place(state: State, { payments, winner }: Settlement, seat: Seat, dealer: Seat | null): SVGElement {
  const { x, y } = SPOTS[seat] ?? { x: 0, y: 0 };
  const points = payments[seat] ?? 0;
  const kind = seat === winner ? "winner" : points < 0 ? "loss" : "even";
  const group = shape("g", { class: `flow-seat ${kind}` });
  group.append(
    shape("rect", { x: x - BOX.x, y: y - BOX.y, width: 2 * BOX.x, height: 2 * BOX.y, rx: 14 }),
    shape("text", { x: x - BOX.x + 40, y, class: "flow-wind" }, wind(seat, dealer)[0]),
  );
  // Whatever a name looks like, it stays in its box.
  const window = shape("svg", { x: x - BOX.x + 70, y: y - BOX.y, width: 2 * BOX.x - 76, height: 2 * BOX.y });
  window.append(shape("text", { x: 0, y: BOX.y, class: "flow-name" }, shortened(playerName(state, seat))));
  group.append(window);
  if (seat === dealer)
    group.append(
      shape("circle", { cx: x + BOX.x - 6, cy: y - BOX.y + 10, r: 18, class: "flow-dealer" }),
      shape("text", { x: x + BOX.x - 6, y: y - BOX.y + 11, class: "flow-dealer-word" }, "庄"),
    );
  return group;
}
