// Draws the table from above with the place marked where something is to be done: which fault is where, and how it looks.
import { element, shape } from "./elements";
import { words } from "./language";

// Where a person looks or reaches. Places with a side are at one to four sides of the table, as told with the fault.
export type Place =
  | "hatch"
  | "drum"
  | "wall"
  | "trough"
  | "pond"
  | "dice"
  | "keys"
  | "plug"
  | "board"
  | "cable"
  | "camera"
  | "corners"
  | "controller"
  | "broker"
  | "desk";

const PLACE_WORDS: Record<Place, [string, string]> = {
  hatch: ["中心口", "the centre"],
  drum: ["桌面下的大盘", "the drum under the table top"],
  wall: ["牌口", "the wall's opening"],
  trough: ["桌面下面", "under the table top"],
  pond: ["桌面上的牌", "the tiles on the table"],
  dice: ["骰子罩", "the dice cover"],
  keys: ["操作盘和按键", "the console and its keys"],
  plug: ["电源", "mains"],
  board: ["桌内控制板", "the control board in the table"],
  cable: ["控制器和桌子之间的线", "the cable between controller and table"],
  camera: ["摄像头", "the camera"],
  corners: ["四角的标记", "the marks at the corners"],
  controller: ["控制器", "the controller"],
  broker: ["网络", "the network"],
  desk: ["前台", "the desk"],
};

// Every fault code and where it is; a test holds it against the controller's own table.
export const FAULT_PLACES: Readonly<Record<string, readonly Place[]>> = {
  "PWR-01": ["plug"],
  "PWR-02": ["board"],
  "PWR-03": ["board"],
  "PWR-04": ["plug"],
  "PWR-05": ["hatch"],
  "CON-01": ["keys"],
  "CON-02": ["keys"],
  "CON-03": ["keys"],
  "HAT-01": ["hatch"],
  "HAT-02": ["hatch"],
  "HAT-03": ["hatch"],
  "HAT-04": ["hatch"],
  "DRM-01": ["drum"],
  "DRM-02": ["drum"],
  "RNG-01": ["drum"],
  "RNG-02": ["drum"],
  "FED-01": ["trough"],
  "HED-01": ["trough"],
  "HED-02": ["trough"],
  "HED-03": ["trough"],
  "HED-04": ["trough"],
  "CHN-01": ["trough"],
  "CHN-02": ["trough"],
  "PSH-01": ["trough"],
  "WAL-01": ["wall"],
  "WAL-02": ["wall"],
  "WAL-03": ["wall", "plug"],
  "WAL-04": ["wall"],
  "CNT-01": ["hatch", "wall"],
  "CNT-02": ["hatch"],
  "CNT-03": ["hatch", "wall"],
  "CNT-04": ["pond"],
  "CYC-00": ["keys"],
  "CYC-01": ["drum"],
  "TIL-01": ["hatch"],
  "TIL-02": ["hatch"],
  "TIL-03": ["pond"],
  "DIC-00": ["dice", "keys"],
  "DIC-01": ["dice"],
  "DIC-02": ["dice"],
  "DIC-03": ["dice"],
  "DIC-10": ["dice"],
  "DIC-11": ["dice"],
  "SEN-01": ["trough"],
  "CFG-01": ["board"],
  "LNK-00": ["cable"],
  "LNK-01": ["cable"],
  "LNK-02": ["cable"],
  "LNK-10": ["cable"],
  "LNK-11": ["cable"],
  "LNK-12": ["controller"],
  "FW-00": ["board"],
  "FW-01": ["plug"],
  "EST-01": ["keys"],
  "STP-00": ["hatch", "keys"],
  "POS-00": ["hatch", "wall"],
  "LCK-00": ["desk"],
  "MNT-00": ["board"],
  "TOP-00": ["hatch"],
  "CMD-00": ["keys"],
  "NET-00": ["broker"],
  "NET-01": ["broker"],
  "JRN-00": ["controller"],
  "JRN-01": ["controller"],
  "CAM-00": ["camera"],
  "CAM-01": ["camera"],
  "CAM-02": ["camera"],
  "CAM-03": ["camera"],
  "CAM-04": ["camera", "corners"],
  "CAM-05": ["camera"],
  "CAM-06": ["camera"],
  "CAM-07": ["camera"],
  "CAM-08": ["corners", "camera"],
  "CAM-10": ["camera"],
};

// A code of a newer board is somewhere in the table: its control board is marked.
export function placesOf(code: string): readonly Place[] {
  return FAULT_PLACES[code] ?? ["board"];
}

export function placeWords(place: Place, sides: readonly number[]): [string, string] {
  const [zh, en] = PLACE_WORDS[place];
  if (!SIDED.has(place) || sides.length === 0) return [zh, en];
  const numbers = sides.map((side) => side + 1);
  return [`${numbers.join("、")}号位的${zh}`, `side ${numbers.join(", ")}: ${en}`];
}

const SIDED: ReadonlySet<Place> = new Set(["wall", "trough", "pond"]);
const ALL_SIDES: readonly number[] = [0, 1, 2, 3];

// The table is drawn in a square of 200 about the origin, seat 1 (side 0) below, the next one at its right.
const TURNS = [0, -90, 180, 90];

interface Spot {
  x: number;
  y: number;
}

// Where the mark of a place stands; of a sided place on side 0.
const SPOTS: Record<Place, Spot> = {
  hatch: { x: 0, y: 0 },
  drum: { x: 0, y: 0 },
  wall: { x: 0, y: 62 },
  trough: { x: -36, y: 62 },
  pond: { x: 0, y: 42 },
  dice: { x: 0, y: 0 },
  keys: { x: 58, y: 84 },
  plug: { x: -124, y: 84 },
  board: { x: 58, y: -62 },
  cable: { x: 112, y: -30 },
  camera: { x: 124, y: -84 },
  corners: { x: 0, y: 0 },
  controller: { x: 128, y: 22 },
  broker: { x: 128, y: 72 },
  desk: { x: 128, y: 72 },
};

export function drawPlace(marked: readonly Place[], sides: readonly number[]): SVGElement {
  const label = marked.map((place) => words(...placeWords(place, sides))).join("，");
  const svg = shape("svg", { viewBox: "-156 -106 312 212", class: "place-map", role: "img", "aria-label": label });
  svg.append(...tableParts(marked), ...surroundings(marked), ...seatNumbers());
  marked.forEach((place, index) => svg.append(...marks(place, sides, index === 0)));
  return svg;
}

export function placeCaption(marked: readonly Place[], sides: readonly number[]): HTMLElement {
  const first = marked[0];
  const [zh, en] = first === undefined ? ["", ""] : placeWords(first, sides);
  return element("figcaption", "place-words", element("b", "zh", zh), " ", element("span", "en", en));
}

function tableParts(marked: readonly Place[]): SVGElement[] {
  const parts = [
    shape("rect", { x: -100, y: -100, width: 200, height: 200, rx: 18, class: "wood" }),
    shape("rect", { x: -78, y: -78, width: 156, height: 156, rx: 6, class: "cloth" }),
  ];
  for (const turn of TURNS) parts.push(side(turn));
  parts.push(
    shape("circle", { cx: 0, cy: 0, r: 15, class: "centre" }),
    shape("circle", { cx: 0, cy: 0, r: 8, class: "dome" }),
    die(-3.2, -1.5),
    die(3, 2),
  );
  if (marked.includes("drum")) parts.push(shape("circle", { cx: 0, cy: 0, r: 40, class: "hidden-part" }));
  if (marked.includes("board")) parts.push(shape("rect", { x: 46, y: -70, width: 24, height: 16, rx: 2, class: "hidden-part" }));
  return parts;
}

// One side: the opening of its wall, the place of its pond, a corner's mark, its keys.
function side(turn: number): SVGElement {
  const group = shape("g", { transform: `rotate(${turn})` });
  group.append(
    shape("rect", { x: -52, y: 57, width: 104, height: 10, rx: 2, class: "slot" }),
    ...Array.from({ length: 17 }, (_, stack) => shape("rect", { x: -50.5 + stack * 6, y: 58.5, width: 5, height: 7, rx: 1, class: "stack" })),
    shape("rect", { x: -32, y: 30, width: 64, height: 17, rx: 2, class: "river" }),
    shape("rect", { x: -76, y: 65, width: 11, height: 11, class: "corner" }),
    shape("rect", { x: 48, y: 82, width: 20, height: 8, rx: 4, class: "console" }),
  );
  return group;
}

function die(x: number, y: number): SVGElement {
  return shape("rect", { x: x - 2.4, y: y - 2.4, width: 4.8, height: 4.8, rx: 1, class: "die" });
}

// What stands beside the table; only what is asked for is drawn, and the camera, which is always there.
function surroundings(marked: readonly Place[]): SVGElement[] {
  const parts = [
    shape("path", { d: "M124 -84 H86", class: "arm" }),
    shape("rect", { x: 114, y: -92, width: 20, height: 15, rx: 3, class: "device" }),
    shape("circle", { cx: 124, cy: -84.5, r: 4.6, class: "lens" }),
  ];
  const near = (places: Place[]): boolean => places.some((place) => marked.includes(place));
  if (near(["cable", "controller", "broker"]))
    parts.push(
      shape("path", { d: "M100 -44 C112 -44 112 -30 112 -20 S116 2 118 12", class: "wire" }),
      shape("rect", { x: 112, y: 12, width: 32, height: 20, rx: 3, class: "device" }),
      shape("circle", { cx: 119, cy: 22, r: 2, class: "lamp" }),
    );
  if (near(["broker"]))
    parts.push(
      shape("path", { d: "M128 32 V60", class: "wire" }),
      ...[5, 11, 17].map((r) => shape("path", { d: arc(128, 80, r), class: "waves" })),
      shape("circle", { cx: 128, cy: 80, r: 2.4, class: "lamp" }),
    );
  if (near(["plug"]))
    parts.push(
      shape("path", { d: "M-100 60 C-112 60 -124 62 -124 76", class: "wire" }),
      shape("rect", { x: -133, y: 76, width: 18, height: 16, rx: 4, class: "device" }),
      shape("path", { d: "M-128 92 V99 M-120 92 V99", class: "prongs" }),
    );
  if (near(["desk"]))
    parts.push(
      shape("rect", { x: 112, y: 66, width: 32, height: 22, rx: 3, class: "device" }),
      shape("path", { d: "M122 76 V72 A6 6 0 0 1 134 72 V76", class: "wire" }),
    );
  return parts;
}

function arc(x: number, y: number, radius: number): string {
  const reach = radius * 0.8;
  return `M${x - reach} ${y - radius * 0.6} A${radius} ${radius} 0 0 1 ${x + reach} ${y - radius * 0.6}`;
}

function seatNumbers(): SVGElement[] {
  const spots: [number, number][] = [[0, 93], [91, 2], [0, -86], [-91, 2]];
  return spots.map(([x, y], seat) => shape("text", { x, y: y + 2, class: "seat-number" }, `${seat + 1}`));
}

const RADII: Partial<Record<Place, number>> = { drum: 44, dice: 12, hatch: 22, cable: 13 };
const BOXES: Partial<Record<Place, { x: number; y: number; width: number; height: number }>> = {
  trough: { x: -57, y: 44, width: 114, height: 30 },
  pond: { x: -36, y: 26, width: 72, height: 25 },
};

// A ring about the place, an arrow to it, so that it is seen without colour too.
function marks(place: Place, sides: readonly number[], main: boolean): SVGElement[] {
  const kind = main ? "mark" : "mark other";
  if (place === "corners") return [[-71, -71], [71, -71], [71, 71], [-71, 71]].map(([x = 0, y = 0]) => ring(x, y, 11, kind));
  if (SIDED.has(place)) return (sides.length > 0 ? sides : ALL_SIDES).map((one) => sideMark(place, one, kind));
  const { x, y } = SPOTS[place];
  const radius = RADII[place] ?? 20;
  return [ring(x, y, radius, kind), ...(main ? arrow({ x, y }, radius) : [])];
}

function sideMark(place: Place, one: number, kind: string): SVGElement {
  const box = BOXES[place] ?? { x: -57, y: 52, width: 114, height: 20 };
  const group = shape("g", { transform: `rotate(${TURNS[one] ?? 0})` });
  group.append(shape("rect", { ...box, rx: 8, class: kind }));
  if (!kind.endsWith("other")) group.append(...outlined("M0 106 V80 M-9 90 L0 79 L9 90"));
  return group;
}

// Seen on any ground.
function outlined(d: string): SVGElement[] {
  return ["arrow", "arrow top"].map((kind) => shape("path", { d, class: kind }));
}

function ring(cx: number, cy: number, r: number, kind: string): SVGElement {
  return shape("circle", { cx, cy, r, class: kind });
}

// Points at the place from above, from the side where there is room.
function arrow({ x, y }: Spot, radius: number): SVGElement[] {
  const reach = radius * 0.72;
  const from = x < -60 ? 1 : -1;
  const [tipX, tipY] = [x + from * reach, y - reach];
  const long = from * (radius > 30 ? 26 : 32);
  return outlined(`M${tipX + long} ${tipY - Math.abs(long)} L${tipX} ${tipY} M${tipX + from * 13} ${tipY - 1} L${tipX} ${tipY} L${tipX + from} ${tipY - 13}`);
}
