// Draws the settlement of a hand: who won how, the hand shown, each line with its source, who pays whom, what follows.
import { both, element } from "./elements";
import { drawFlows, flowsOf, type Flow } from "./flows";
import { icon } from "./icons";
import { openView } from "./navigation";
import { SEATS, type Line, type Meld, type Seat, type Settlement, type State } from "./payloads";
import { playerName, wind } from "./table";
import { drawTile } from "./tiles";

const MELD_WORDS: Record<string, [string, string]> = {
  chi: ["吃", "chi"],
  peng: ["碰", "peng"],
  kong: ["杠", "kong"],
  added_kong: ["补杠", "added kong"],
  concealed_kong: ["暗杠", "concealed kong"],
};
// So long a settlement that has just come moves; what it says stands there from the first moment.
const FRESH_MS = 1_500;
const MANY_LINES = 6;

let freshKey = "";
let freshUntil = 0;

export function drawSettlement(state: State, settlement: Settlement): Node[] {
  const fresh = isFresh(settlement) ? " fresh" : "";
  return [
    headline(state, settlement),
    amended(settlement),
    ...earlier(state, settlement),
    settlement.drawn ? drawnWords() : shownHand(state, settlement),
    element(
      "div",
      `accounts${fresh}`,
      element("div", "why", settlement.drawn ? null : lines(settlement), ranking(state, settlement), next(state, settlement)),
      element("div", "who-pays", drawFlows(state, settlement, dealerOf(state, settlement)), payments(state, settlement)),
    ),
  ].filter((each) => each !== null);
}

// Whether this edition of this hand came a moment ago: only then does anything move.
function isFresh({ match_no, hand_no, edition = 1, payments }: Settlement): boolean {
  const key = [match_no, hand_no, edition, ...payments].join(" ");
  if (key !== freshKey) {
    freshUntil = performance.now() + FRESH_MS;
    freshKey = key;
  }
  return performance.now() < freshUntil;
}

function headline(state: State, settlement: Settlement): HTMLElement {
  const number = element("span", "which", both(`第 ${settlement.match_no} 场 第 ${settlement.hand_no} 局`, `match ${settlement.match_no}, hand ${settlement.hand_no}`));
  if (settlement.drawn || settlement.winner === null)
    return element("header", "headline", element("span", "way", "荒庄"), element("span", "en", "drawn hand"), number);
  return element(
    "header",
    "headline",
    element("span", "winner-wind", windOf(state, settlement, settlement.winner)),
    element("span", "winner", playerName(state, settlement.winner)),
    element("span", "way", settlement.how_zh || settlement.how),
    element("span", "en", settlement.how_en),
    source(state, settlement),
    number,
  );
}

function source(state: State, settlement: Settlement): HTMLElement | null {
  const { from_seat: from, payer } = settlement;
  if (from === null && payer === null) return null;
  const named = (seat: Seat): string => `${windOf(state, settlement, seat)} ${playerName(state, seat)}`;
  const gave = from === null ? "" : `${named(from)} 打出`;
  const paysAll = payer === null ? "" : `${payer === from ? "" : `${named(payer)} `}包三家`;
  return element("span", "from", [gave, paysAll].filter((each) => each !== "").join("，"));
}

// A settlement that a person has entered or corrected says so, and what it was before.
function amended(settlement: Settlement): HTMLElement | null {
  const { superseded, entered, author = "", edition = 1 } = settlement;
  if (superseded != null && settlement.difference?.some((change) => change !== 0)) {
    const before = superseded.map(signed).join("  ");
    return element("p", "amended", icon("pencil"), both(`更正（第${edition}版，${author}）：原为 ${before}`, "corrected; before"));
  }
  return entered ? element("p", "amended", icon("pencil"), both(`人工记入（${author}）`, "entered by hand")) : null;
}

// Hands before this one whose settlement was corrected: what it is now, and what it was.
function earlier(state: State, settlement: Settlement): HTMLElement[] {
  const { match_no = 0, corrections = [] } = state.corrections ?? {};
  const others = corrections.filter((one) => match_no === settlement.match_no && one.hand_no !== settlement.hand_no);
  return others.slice(-2).map((one) => {
    const [now, before] = [one.payments, one.superseded].map((points) => points.map(signed).join("  "));
    const told = both(`第 ${one.hand_no} 局更正（${one.author}）：${now}，原为 ${before}`, "corrected");
    return element("p", "amended earlier", icon("pencil"), told);
  });
}

function ranking(state: State, settlement: Settlement): HTMLElement | null {
  const found = state.ranking;
  if (!settlement.match_over || found === undefined || found.match_no !== settlement.match_no) return null;
  return element(
    "div",
    "ranking-short",
    both(`第 ${found.match_no} 场结束`, "the match is over"),
    ...found.ranking.map((row) =>
      element(
        "span",
        "ranked",
        element("b", "place", String(row.place)),
        element("span", "ranked-name", row.player),
        element("b", "ranked-change", signed(row.change)),
      ),
    ),
  );
}

// Who deals next, or that the match is over; and the way to the points over all hands.
function next(state: State, settlement: Settlement): HTMLElement {
  const dealer = isShown(state, settlement) ? (state.table?.next_dealer ?? null) : null;
  const again = dealer !== null && dealer === state.table?.dealer;
  let words = both("下一场：掷骰定庄", "next match: a die names the dealer");
  if (dealer !== null) words = both(`下一局庄家：${named(state, dealer)}${again ? "（连庄）" : ""}`, again ? "deals again" : "deals next");
  else if (!settlement.match_over) words = both("下一局庄家：待定", "next dealer: not known yet");
  const button = element("button", "to-ranking", both("排名走势", "points so far"));
  button.setAttribute("type", "button");
  button.dataset["key"] = "to-ranking";
  button.addEventListener("click", () => openView("ranking"));
  return element("div", "next", element("span", "next-dealer", element("b", "dealer-mark", "庄"), words), button);
}

export function signed(points: number): string {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}

export function plain(points: number): string {
  return points < 0 ? `−${-points}` : String(points);
}

// Whether the table still shows the hand that was settled: only then is its dealer known.
function isShown({ table }: State, settlement: Settlement): boolean {
  return table?.hand_no === settlement.hand_no && table.match_no === settlement.match_no;
}

function dealerOf(state: State, settlement: Settlement): Seat | null {
  return isShown(state, settlement) ? (state.table?.dealer ?? null) : null;
}

function windOf(state: State, settlement: Settlement, seat: Seat): string {
  return wind(seat, dealerOf(state, settlement))[0];
}

function drawnWords(): HTMLElement {
  return element("p", "drawn-words", both("牌已摸完，无人和牌，不计分", "the wall is empty, nobody won, nobody pays"));
}

// The dragons leftmost, then the rest in order; the tile that was won with stands apart, then what was laid open.
function shownHand(state: State, settlement: Settlement): HTMLElement {
  const rest = [...settlement.hand];
  const winning = settlement.tile;
  const at = winning === null ? -1 : rest.lastIndexOf(winning);
  if (at >= 0) rest.splice(at, 1);
  const mark = (tile: string): string[] => (tile === settlement.dragon ? ["wild"] : []);
  const tiles = sorted(rest, settlement.dragon);
  return element(
    "div",
    "shown",
    element(
      "figure",
      "held",
      element("div", "shown-hand", ...tiles.map((tile) => drawTile(tile, ...mark(tile)))),
      element("figcaption", "under", both(`手牌（龙 ${settlement.dragons} 张）`, "hand, dragons leftmost")),
    ),
    winning === null || at < 0
      ? null
      : element("figure", "winning", drawTile(winning, "win", ...mark(winning)), element("figcaption", "under", both("和牌", "won with"))),
    ...settlement.melds.map((meld) => shownMeld(meld, state, settlement)),
  );
}

const ORDER = "mspESWNCFP";

// 万 条 筒 ascending, then winds and 中发白, the dragons before them all.
export function sorted(tiles: readonly string[], dragon: string | null): string[] {
  const kind = (tile: string): number => {
    const at = ORDER.indexOf(tile.slice(-1));
    return at < 0 ? ORDER.length : at;
  };
  const rank = (tile: string): number => (tile === dragon ? -1 : 10 * kind(tile) + (Number.parseInt(tile, 10) || 0));
  return [...tiles].sort((one, other) => rank(one) - rank(other));
}

function shownMeld(meld: Meld, state: State, settlement: Settlement): HTMLElement {
  const [zh, en] = MELD_WORDS[meld.kind] ?? [meld.kind, ""];
  const from = meld.taken_from === null ? null : element("span", "meld-from", ` 来自 ${windOf(state, settlement, meld.taken_from)} ${playerName(state, meld.taken_from)}`);
  const mark = (tile: string): string[] => (tile === settlement.dragon ? ["wild"] : []);
  return element(
    "figure",
    "shown-meld",
    element("div", "meld", ...meld.tiles.map((tile) => drawTile(tile, ...mark(tile)))),
    element("figcaption", "under", both(zh, from === null ? en : ""), from),
  );
}

function lines(settlement: Settlement): HTMLElement {
  const body = element("tbody", "", ...settlement.lines.map(drawLine));
  const unit = settlement.unit === null ? "" : `${settlement.unit}`;
  const each = settlement.point_each === null ? "" : `${settlement.point_each}`;
  return element(
    "div",
    settlement.lines.length > MANY_LINES ? "entries many" : "entries",
    element("table", "", body),
    unit === ""
      ? null
      : element("p", "unit", both(`单位 u = ${unit}`, "unit"), " · ", both(`一份 P = 2u = ${each}`, "full share")),
  );
}

function drawLine(line: Line): HTMLElement {
  const value = line.value === null ? "" : `${line.value} 龙`;
  return element(
    "tr",
    "entry",
    element("td", "line-name", both(line.zh, line.en)),
    element("td", "line-value", value),
    element("td", "line-article", line.article),
  );
}

function payments(state: State, settlement: Settlement): HTMLElement {
  const flows = flowsOf(settlement.payments);
  const head = element(
    "div",
    "payment head",
    element("span", ""),
    element("span", ""),
    element("span", "", both("原有", "before")),
    element("span", "", both("本局", "this hand")),
    element("span", "", both("现有", "now")),
  );
  head.setAttribute("aria-hidden", "true");
  return element("div", "payments", head, ...SEATS.map((seat) => payment(state, settlement, seat, flows)));
}

function payment(state: State, settlement: Settlement, seat: Seat, flows: readonly Flow[]): HTMLElement {
  const points = settlement.payments[seat] ?? 0;
  const sign = points > 0 ? "gain" : points < 0 ? "loss" : "even";
  const change = settlement.difference?.[seat] ?? 0;
  const balance = settlement.balances[seat];
  const row = element(
    "div",
    `payment ${sign}`,
    element("span", "pay-wind", windOf(state, settlement, seat)),
    element("span", "pay-who", element("span", "pay-name", playerName(state, seat)), flowWords(state, seat, flows)),
    element("span", "pay-before", balance === undefined ? "–" : plain(balance - points)),
    element("span", "pay-points", signed(points), change === 0 ? null : element("small", "pay-change", `更正 ${signed(change)}`)),
    element("span", "pay-balance", balance === undefined ? "–" : plain(balance)),
  );
  row.dataset["seat"] = String(seat);
  return row;
}

// A name within a sentence must not turn the sentence around.
function named(state: State, seat: Seat): string {
  return playerName(state, seat).replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

// Whom a seat pays, or who pays it, in words.
function flowWords(state: State, seat: Seat, flows: readonly Flow[]): HTMLElement | null {
  const pays = flows.filter((flow) => flow.from === seat);
  if (pays.length > 0) {
    const zh = pays.map((flow) => `付给 ${named(state, flow.to)} ${flow.points}`).join("，");
    const en = pays.map((flow) => `pays ${named(state, flow.to)} ${flow.points}`).join(", ");
    return element("small", "flow-words", both(zh, en));
  }
  const gets = flows.filter((flow) => flow.to === seat).map((flow) => `${flow.points}`);
  if (gets.length === 0) return null;
  return element("small", "flow-words", both(`收 ${gets.join(" + ")}`, `gets ${gets.join(" + ")}`));
}
