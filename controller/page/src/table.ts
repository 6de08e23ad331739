// Draws the hand in play: the 龙 at the left, a row for each seat at the right.
import { countdown } from "./countdown";
import { both, element } from "./elements";
import { SEATS, type Meld, type Phase, type Seat, type State } from "./payloads";
import { drawTile, tileName } from "./tiles";

const PHASES: Record<Phase, [string, string]> = {
  idle: ["等待开局", "waiting"],
  hatch_open: ["请推牌入桌", "push the tiles in"],
  shuffling: ["洗牌中", "shuffling"],
  walls: ["升牌", "walls rising"],
  dealing: ["起牌", "dealing"],
  playing: ["进行中", "in play"],
  settled: ["已结算", "settled"],
  drawn: ["荒庄", "drawn hand"],
  stopped: ["停机", "stopped"],
};
const WINDS: [string, string][] = [
  ["东", "East"],
  ["南", "South"],
  ["西", "West"],
  ["北", "North"],
];
const DICE = "⚀⚁⚂⚃⚄⚅";

export function phaseWords(phase: Phase): HTMLElement {
  const [zh, en] = PHASES[phase] ?? [phase, ""];
  return both(zh, en);
}

export function wind(seat: Seat, dealer: Seat | null | undefined): [string, string] {
  if (dealer === null || dealer === undefined) return ["–", ""];
  return WINDS[(seat - dealer + 4) % 4] ?? ["–", ""];
}

export function playerName(state: State, seat: Seat): string {
  return state.table?.players[seat] || `座位 ${seat + 1}`;
}

export function drawTable(state: State): Node[] {
  const dragon = element("aside", "", ...drawDragon(state));
  dragon.id = "dragon";
  dragon.setAttribute("aria-label", "龙");
  const seats = element("div", "", ...SEATS.map((seat) => drawSeat(state, seat)));
  seats.id = "seats";
  return [dragon, seats];
}

function drawDragon(state: State): Node[] {
  const { table, hand } = state;
  const dragon = table?.dragon ?? null;
  const left = table?.tiles_left ?? null;
  const figure =
    dragon === null
      ? element("div", "dragon-none", "龙")
      : element("div", "dragon-tile", drawTile(dragon, "wild"));
  return [
    element(
      "div",
      "where",
      element("span", "hand-no", table === undefined ? "龙桌" : `第 ${Math.max(1, table.match_no)} 场 第 ${table.hand_no} 局`),
      table === undefined ? null : phaseWords(table.phase),
    ),
    element("div", "dragon-head", element("span", "dragon-word", "龙"), element("span", "en", "Dragon")),
    figure,
    element("div", "dragon-name", dragon === null ? "未翻牌 · not turned yet" : tileName(dragon)),
    element(
      "div",
      "facts",
      fact("翻牌", "indicator", hand?.indicator ? drawTile(hand.indicator) : element("b", "", "–")),
      fact("余牌", "tiles left", element("b", "tiles-left", left === null ? "–" : String(left))),
      fact("骰子", "dice", element("b", "dice", (table?.dice ?? []).map((pips) => DICE[pips - 1] ?? "?").join("") || "–")),
    ),
  ];
}

function fact(zh: string, en: string, value: Node): HTMLElement {
  return element("div", "fact", value, both(zh, en));
}

function drawSeat(state: State, seat: Seat): HTMLElement {
  const { table, hand, scores } = state;
  const playing = table?.phase === "playing";
  const turn = playing && hand?.turn === seat;
  const row = element(
    "div",
    turn ? "seat turn" : "seat",
    element("div", "who", windMark(state, seat), nameAndScore(state, seat, scores?.balances[seat])),
    drawPond(state, seat),
    element("div", "melds", ...(hand?.melds[seat] ?? []).map((meld) => drawMeld(meld, state))),
  );
  row.dataset["seat"] = String(seat);
  if (turn) row.append(element("div", "turn-word", "▶ 轮到"));
  const counting = playing ? timeOf(state, seat) : null;
  if (counting !== null) row.append(counting);
  return row;
}

// The time that runs is told where it matters: at whoever is to move, or at whoever's discard is open.
function timeOf(state: State, seat: Seat): HTMLElement | null {
  const { hand } = state;
  const deadline = hand?.deadline;
  if (deadline?.seat === seat) return countdown(deadline, "秒出牌", "to move");
  if (deadline?.seat === null && hand?.last_discard?.seat === seat) return countdown(deadline, "秒吃碰杠胡", "to claim");
  return null;
}

function windMark(state: State, seat: Seat): HTMLElement {
  const dealer = state.table?.dealer;
  const [zh, en] = wind(seat, dealer);
  const mark = element("div", dealer === seat ? "wind dealer" : "wind", element("span", "zh", zh), element("span", "en", en));
  if (dealer === seat) mark.append(element("span", "dealer-word", "庄"));
  return mark;
}

function nameAndScore(state: State, seat: Seat, balance: number | undefined): HTMLElement {
  return element(
    "div",
    "account",
    element("div", "name", playerName(state, seat)),
    element("div", "score", balance === undefined ? "–" : String(balance)),
  );
}

function drawPond(state: State, seat: Seat): HTMLElement {
  const { hand } = state;
  const tiles = hand?.ponds[seat] ?? [];
  const lastHere = hand?.last_discard?.seat === seat;
  return element(
    "div",
    "pond",
    ...tiles.map((tile, index) => drawTile(tile, ...marks(tile, state, lastHere && index === tiles.length - 1))),
  );
}

function marks(tile: string, state: State, last: boolean): string[] {
  return [...(tile === state.table?.dragon ? ["wild"] : []), ...(last ? ["last"] : [])];
}

export function drawMeld(meld: Meld, state: State): HTMLElement {
  return element("div", "meld", ...meld.tiles.map((tile) => drawTile(tile, ...marks(tile, state, false))));
}
