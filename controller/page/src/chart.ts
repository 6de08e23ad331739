// Draws the points of the four seats over the hands of a match. Lines differ in dashes and marks, not in colour alone.
import { shape } from "./elements";
import { words } from "./language";
import { SEATS, type HandPoints, type Seat } from "./payloads";

export interface Course {
  start: number;
  hands: readonly HandPoints[];
  // The points that count in the end, with what was moved after the last hand.
  end: readonly number[];
  names: readonly string[];
}

const WIDTH = 1000;
const HEIGHT = 640;
const LEFT = 92;
const RIGHT = 250;
const TOP = 34;
const BOTTOM = 66;
const LABEL_HEIGHT = 54;
const MOST_TICKS = 12;
const DASHES: readonly string[] = ["", "26 12", "4 11", "26 10 4 10"];

interface Scale {
  x: (place: number) => number;
  y: (points: number) => number;
  low: number;
  high: number;
  step: number;
}

export function drawChart(course: Course): SVGElement {
  const rows = pointsOf(course);
  const scale = scaleOf(rows, course.start);
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": summary(course) });
  svg.append(...grid(scale, course.start), ...handNumbers(course, scale), ...unsettled(course, scale));
  for (const seat of SEATS) svg.append(line(seat, rows, scale), ...wins(seat, course, scale));
  svg.append(...labels(course, scale));
  return svg;
}

// The points of each seat: before the first hand, after each, and in the end where that differs.
function pointsOf({ start, hands, end }: Course): number[][] {
  const first = hands[0]?.hand_no === 1 || hands.length === 0 ? [[start, start, start, start]] : [];
  const rows = [...first, ...hands.map((hand) => hand.balances)];
  const last = rows[rows.length - 1];
  return last === undefined || end.some((points, seat) => points !== last[seat]) ? [...rows, [...end]] : rows;
}

function scaleOf(rows: number[][], start: number): Scale {
  const all = [...rows.flat(), start];
  const step = niceStep(Math.max(...all) - Math.min(...all));
  const low = Math.floor(Math.min(...all) / step) * step;
  const high = Math.max(Math.ceil(Math.max(...all) / step) * step, low + step);
  const places = Math.max(1, rows.length - 1);
  return {
    x: (place) => LEFT + (place / places) * (WIDTH - LEFT - RIGHT),
    y: (points) => TOP + ((high - points) / (high - low)) * (HEIGHT - TOP - BOTTOM),
    low,
    high,
    step,
  };
}

// A round step that divides the range into two to five parts.
function niceStep(range: number): number {
  const rough = Math.max(range, 4) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return (([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power) || 1;
}

function grid({ y, low, high, step }: Scale, start: number): SVGElement[] {
  const made: SVGElement[] = [];
  for (let points = low; points <= high + step / 1000; points += step)
    made.push(
      shape("path", { d: `M${LEFT} ${y(points)} H${WIDTH - RIGHT}`, class: points === start ? "rule start" : "rule" }),
      shape("text", { x: LEFT - 14, y: y(points), class: "tick points" }, number(points)),
    );
  return made;
}

function handNumbers({ hands }: Course, { x }: Scale): SVGElement[] {
  const before = hands[0]?.hand_no === 1 ? 1 : 0;
  const every = Math.ceil(hands.length / MOST_TICKS);
  const shown = hands.flatMap((hand, index) =>
    index % every === 0 || index === hands.length - 1
      ? [shape("text", { x: x(index + before), y: HEIGHT - BOTTOM + 30, class: "tick" }, String(hand.hand_no))]
      : [],
  );
  const axis = shape("text", { x: LEFT, y: HEIGHT - 8, class: "axis" }, words("第几局", "hand"));
  return [...shown, axis];
}

// Hands whose result nobody knows stand in a hatched band.
function unsettled({ hands }: Course, { x }: Scale): SVGElement[] {
  const before = hands[0]?.hand_no === 1 ? 1 : 0;
  const withheld = hands.flatMap((hand, index) => (hand.how === "withheld" ? [index + before] : []));
  if (withheld.length === 0) return [];
  const pattern = shape("pattern", { id: "hatched", width: 12, height: 12, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  pattern.append(shape("rect", { width: 4, height: 12, class: "hatch" }));
  const definitions = shape("defs", {});
  definitions.append(pattern);
  const half = Math.min(22, (x(1) - x(0)) / 2);
  const bands = withheld.flatMap((place) => [
    shape("rect", { x: x(place) - half, y: TOP, width: 2 * half, height: HEIGHT - TOP - BOTTOM, fill: "url(#hatched)" }),
    shape("text", { x: x(place), y: TOP - 8, class: "tick" }, "?"),
  ]);
  return [definitions, ...bands];
}

function line(seat: Seat, rows: number[][], { x, y }: Scale): SVGElement {
  const points = rows.map((row, place) => `${x(place).toFixed(1)},${y(row[seat] ?? 0).toFixed(1)}`).join(" ");
  const group = shape("g", { class: `course seat-${seat}`, "data-seat": seat });
  group.append(shape("polyline", { points, "stroke-dasharray": DASHES[seat] ?? "" }));
  return group;
}

// The hands that the seat has won carry its mark.
function wins(seat: Seat, { hands }: Course, { x, y }: Scale): SVGElement[] {
  const before = hands[0]?.hand_no === 1 ? 1 : 0;
  return hands.flatMap((hand, index) =>
    hand.winner === seat ? [mark(seat, x(index + before), y(hand.balances[seat] ?? 0), 11)] : [],
  );
}

// A shape of its own for each seat: circle, square, triangle, diamond.
export function mark(seat: Seat, x: number, y: number, size: number): SVGElement {
  const marks: Record<Seat, string> = {
    0: `M${x - size} ${y} a${size} ${size} 0 1 0 ${2 * size} 0 a${size} ${size} 0 1 0 ${-2 * size} 0 Z`,
    1: `M${x - size} ${y - size} h${2 * size} v${2 * size} h${-2 * size} Z`,
    2: `M${x} ${y - size * 1.2} L${x + size * 1.15} ${y + size * 0.9} H${x - size * 1.15} Z`,
    3: `M${x} ${y - size * 1.3} L${x + size * 1.3} ${y} L${x} ${y + size * 1.3} L${x - size * 1.3} ${y} Z`,
  };
  return shape("path", { d: marks[seat], class: `seat-mark seat-${seat}` });
}

// At the end of each line: mark, name and points; where lines end close together the labels make room.
function labels({ end, names }: Course, { y }: Scale): SVGElement[] {
  const wanted = SEATS.map((seat) => ({ seat, y: y(end[seat] ?? 0) })).sort((one, other) => one.y - other.y);
  const lowest = HEIGHT - BOTTOM + LABEL_HEIGHT / 2;
  let above = TOP - LABEL_HEIGHT / 2;
  for (const each of wanted) above = each.y = Math.max(each.y, above + LABEL_HEIGHT);
  let below = lowest + LABEL_HEIGHT / 2;
  for (const each of [...wanted].reverse()) below = each.y = Math.min(each.y, below - LABEL_HEIGHT);
  return wanted.flatMap((each) => {
    const x = WIDTH - RIGHT + 30;
    const text = shape("text", { x: x + 24, y: each.y, class: `line-end seat-${each.seat}` });
    text.append(
      shape("tspan", { class: "end-points" }, number(end[each.seat] ?? 0)),
      shape("tspan", { dx: 12, class: "end-name" }, shortened(names[each.seat] ?? "")),
    );
    const leader = shape("path", { d: `M${WIDTH - RIGHT} ${y(end[each.seat] ?? 0)} L${x - 14} ${each.y}`, class: `leader seat-${each.seat}` });
    return [leader, mark(each.seat, x, each.y, 10), text];
  });
}

const WIDEST = 9;

// Han and other wide letters count twice; what does not fit beside the chart stands in full in the list.
export function shortened(name: string): string {
  let width = 0;
  let kept = "";
  for (const letter of name) {
    width += (letter.codePointAt(0) ?? 0) > 0x2e80 ? 2 : 1;
    if (width > WIDEST) return `${kept}…`;
    kept += letter;
  }
  return name;
}

function number(points: number): string {
  return points < 0 ? `−${-points}` : String(points);
}

function summary({ start, hands, end, names }: Course): string {
  const zh = SEATS.map((seat) => `${names[seat]} ${end[seat]}`).join("，");
  return words(`${hands.length} 局的分数，起始 ${start}：${zh}`, `points over ${hands.length} hands from ${start}: ${zh}`);
}
