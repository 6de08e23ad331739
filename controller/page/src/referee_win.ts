// How a hand ended, told by a person: winner, way, who gave the tile, tiles and sets picked on a keyboard.
import { element } from "./elements";
import { choose, heading, note, press, seatChoices, type Choice, type Words } from "./forms";
import type { HandsSheet, Named } from "./sheets";
import { COPIES, pickedTiles, sorted, tileKeys } from "./tilekeys";

interface Meld {
  kind: string;
  tiles: string[];
  from: number | null;
}

type Target = "hand" | "tile" | "indicator" | "meld";

const DRAWN = -1;
const CONCEALED = 13;
const MOST_MELDS = 4;
const GIVEN: readonly string[] = ["discard", "robkong"];
const MELDS: readonly Choice<string>[] = [
  { value: "chi", told: ["吃", "chi"] },
  { value: "peng", told: ["碰", "peng"] },
  { value: "kong", told: ["点杠", "kong"] },
  { value: "added_kong", told: ["转弯杠", "added kong"] },
  { value: "concealed_kong", told: ["闷杠", "concealed kong"] },
];

let winner: number | null = null;
let how = "";
let from: number | null = null;
let hand: string[] = [];
let tile = "";
let indicator = "";
let melds: Meld[] = [];
let flags: Set<string> = new Set();
let target: Target = "hand";
let meldKind = "peng";
let meldFrom: number | null = null;

export function forgetWin(): void {
  [winner, how, from, hand, tile, indicator, melds, flags, target] = [null, "", null, [], "", "", [], new Set(), "hand"];
  meldFrom = null;
}

// Everything that has to be known is told.
export function winIsTold(): boolean {
  if (winner === null) return false;
  if (winner === DRAWN) return true;
  const given = !GIVEN.includes(how) || (from !== null && tile !== "");
  return how !== "" && given && hand.length === expected();
}

// Concealed tiles without the winning one.
function expected(): number {
  return CONCEALED - 3 * melds.length;
}

// As the fields of an "enter" order.
export function winFields(): Record<string, unknown> {
  if (winner === null || winner === DRAWN) return {};
  return {
    winner,
    how,
    hand: sorted(hand).join(" "),
    melds: melds.map(meldText),
    tile,
    indicator,
    flags: Object.fromEntries([...flags].map((name) => [name, true])),
    ...(GIVEN.includes(how) && from !== null ? { from_seat: from } : {}),
  };
}

// As a line of a record.
export function winLine(): string {
  if (winner === null || winner === DRAWN) return "entered drawn";
  const parts = [`entered ${winner} ${how} hand ${sorted(hand).join(" ")}`, `on ${tile === "" ? "?" : tile}`];
  if (GIVEN.includes(how) && from !== null) parts.push(`from ${from}`);
  if (melds.length > 0) parts.push(`with ${melds.map(meldText).join(" / ")}`);
  if (flags.size > 0) parts.push(`flags ${[...flags].map((name) => `${name}=true`).join(" / ")}`);
  return parts.join(" ");
}

function meldText(meld: Meld): string {
  return `${meld.kind} ${meld.tiles.join(" ")}${meld.from === null ? "" : ` from ${meld.from}`}`;
}

// `asksIndicator`: the table has not told it.
export function drawWin(sheet: HandsSheet, asksIndicator: boolean, redraw: () => void): Node[] {
  const winners: Choice<number>[] = [...seatChoices(sheet.players), { value: DRAWN, told: ["荒庄", "drawn hand"] }];
  const parts: Node[] = [
    line(
      heading(["谁胡", "who won"]),
      choose("winner", ["谁胡", "who won"], winners, winner, (value) => {
        winner = value;
        if (from === value) from = null;
        if (how === "") how = "selfdraw";
        redraw();
      }),
    ),
  ];
  if (winner === null || winner === DRAWN) return parts;
  return [...parts, ...wayParts(sheet, redraw), ...tileParts(asksIndicator, redraw), ...meldParts(sheet, redraw), ...flagParts(sheet.flags, redraw)];
}

// A heading with what is chosen beside it.
function line(title: HTMLElement, choice: HTMLElement): HTMLElement {
  return element("div", "line", title, choice);
}

function wayParts(sheet: HandsSheet, redraw: () => void): Node[] {
  const ways: Choice<string>[] = sheet.ways.map(({ name, zh, en }) => ({ value: name, told: [zh, en] }));
  const parts: Node[] = [
    line(
      heading(["怎么胡", "how"]),
      choose("how", ["怎么胡", "how"], ways, how, (value) => {
        how = value;
        redraw();
      }),
    ),
  ];
  if (!GIVEN.includes(how)) return parts;
  return [
    ...parts,
    line(
      heading(["谁打出", "who gave the tile"]),
      choose("from", ["谁打出", "who gave the tile"], seatChoices(sheet.players, winner), from, (value) => {
        from = value;
        redraw();
      }),
    ),
  ];
}

function tileParts(asksIndicator: boolean, redraw: () => void): Node[] {
  const missing = expected() - hand.length;
  const told: Words = missing === 0 ? ["手牌 ✓", "hand ✓"] : [`手牌 还差${missing}张`, `hand: ${missing} missing`];
  const targets: Choice<Target>[] = [
    { value: "hand", told },
    { value: "tile", told: [`胡的牌${tile === "" ? "" : " ✓"}`, `winning tile${tile === "" ? "" : " ✓"}`] },
    ...(asksIndicator ? [{ value: "indicator" as Target, told: [`翻牌${indicator === "" ? "" : " ✓"}`, "indicator"] as Words }] : []),
    ...(melds.length < MOST_MELDS ? [{ value: "meld" as Target, told: ["加一摊", "add a set"] as Words }] : []),
  ];
  const remove = (place: number): void => {
    hand = sorted(hand).filter((_, other) => other !== place);
    redraw();
  };
  const clear = (taken: "tile" | "indicator") => (): void => {
    if (taken === "tile") tile = "";
    else indicator = "";
    redraw();
  };
  return [
    line(
      heading(["牌", "tiles"]),
      choose("target", ["牌", "tiles"], targets, target, (value) => {
        target = value;
        redraw();
      }),
    ),
    element(
      "div",
      "picked-all",
      pickedTiles("hand", sorted(hand), ["手里的牌（不含胡的那张），点下面的牌", "the hand without the winning tile: touch tiles below"], remove),
      tile === "" ? null : pickedTiles("tile", [tile], ["", ""], clear("tile")),
      indicator === "" ? null : pickedTiles("indicator", [indicator], ["", ""], clear("indicator")),
    ),
    target === "meld" ? null : tileKeys("key", left, (picked) => pick(picked, redraw)),
  ].filter((part): part is HTMLElement => part !== null);
}

// How many more of a tile may be picked: four of each, and no more than fit.
function left(picked: string): number {
  if (target === "hand" && hand.length >= expected()) return 0;
  const used = [...hand, tile, ...melds.flatMap((meld) => meld.tiles)].filter((each) => each === picked).length;
  return COPIES - used - (indicator === picked ? 1 : 0);
}

function pick(picked: string, redraw: () => void): void {
  if (target === "hand") hand = [...hand, picked];
  else if (target === "tile") tile = picked;
  else if (target === "indicator") indicator = picked;
  if (target === "hand" && hand.length >= expected() && tile === "") target = "tile";
  redraw();
}

function meldParts(sheet: HandsSheet, redraw: () => void): Node[] {
  const rows = melds.map((meld, place) =>
    element(
      "div",
      "meld-row",
      pickedTiles(`meld-${place}`, meld.tiles, ["", ""], () => {
        melds = melds.filter((_, other) => other !== place);
        redraw();
      }),
      note("", meldWords(meld)),
    ),
  );
  if (target !== "meld" || melds.length >= MOST_MELDS) return rows.length === 0 ? [] : [heading(["摊开的牌", "sets"]), ...rows];
  const asksFrom = meldKind !== "concealed_kong";
  const ready = !asksFrom || meldFrom !== null;
  return [
    heading(["摊开的牌", "sets"]),
    ...rows,
    choose("meld-kind", ["哪一种", "which kind"], MELDS, meldKind, (value) => {
      meldKind = value;
      redraw();
    }),
    ...(asksFrom
      ? [
          choose("meld-from", ["谁打出", "whose tile"], seatChoices(sheet.players, winner), meldFrom, (value) => {
            meldFrom = value;
            redraw();
          }),
        ]
      : []),
    note("", ready ? (meldKind === "chi" ? ["点最小的一张", "touch its lowest tile"] : ["点一张", "touch its tile"]) : ["先选谁打出", "first whose tile it was"]),
    tileKeys("meld-key", (each) => (ready && meldTiles(each) !== null ? COPIES : 0), (picked) => {
      const tiles = meldTiles(picked);
      if (tiles === null) return;
      melds = [...melds, { kind: meldKind, tiles, from: asksFrom ? meldFrom : null }];
      target = "hand";
      redraw();
    }),
  ];
}

function meldWords(meld: Meld): Words {
  const [zh, en] = MELDS.find((each) => each.value === meld.kind)?.told ?? [meld.kind, meld.kind];
  if (meld.from === null) return [zh, en];
  return [`${zh}（${meld.from + 1}号位打出）`, `${en} from seat ${meld.from + 1}`];
}

// The tiles of a set that begins with this tile, null where there is none.
function meldTiles(first: string): string[] | null {
  if (meldKind === "peng") return Array<string>(3).fill(first);
  if (meldKind !== "chi") return Array<string>(4).fill(first);
  const rank = Number(first[0]);
  if (!/^[1-7][mps]$/.test(first)) return null;
  return [0, 1, 2].map((step) => `${rank + step}${first[1] ?? ""}`);
}

function flagParts(known: readonly Named[], redraw: () => void): Node[] {
  // Circumstances that are so or not; those with a number or a tile are told with `longzhuo tell`.
  const yes = known.filter(({ en }) => !/(a number|a tile|tiles)$/.test(en));
  const buttons = yes.map(({ name, zh, en }) =>
    press(`flag-${name}`, "segment flag", [zh, en], () => {
      if (!flags.delete(name)) flags.add(name);
      redraw();
    }, { pressed: flags.has(name) }),
  );
  const list = element("div", "flags", ...buttons);
  const details = element("details", "circumstances", element("summary", "", heading(["特别情形", "circumstances"])), list);
  if (flags.size > 0) details.setAttribute("open", "");
  return [details];
}
