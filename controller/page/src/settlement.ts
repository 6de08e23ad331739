// Draws the settlement of a hand: who won how, the hand shown, each line with its source, who pays whom.
import { both, element } from "./elements";
import { SEATS, type Line, type Seat, type Settlement, type State } from "./payloads";
import { drawMeld, playerName, wind } from "./table";
import { drawTile } from "./tiles";

export function drawSettlement(state: State, settlement: Settlement): Node[] {
  return [
    headline(state, settlement),
    amended(settlement),
    ...earlier(state, settlement),
    settlement.drawn ? drawnWords() : shownHand(state, settlement),
    element(
      "div",
      "accounts",
      element("div", "why", settlement.drawn ? null : lines(settlement), ranking(state, settlement)),
      payments(state, settlement),
    ),
  ].filter((each) => each !== null);
}

function headline(state: State, settlement: Settlement): HTMLElement {
  if (settlement.drawn || settlement.winner === null)
    return element("header", "headline", element("span", "way", "荒庄"), element("span", "en", "drawn hand"));
  const from = settlement.from_seat;
  return element(
    "header",
    "headline",
    element("span", "winner", `${windOf(state, settlement.winner)}  ${playerName(state, settlement.winner)}`),
    element("span", "way", settlement.how_zh || settlement.how),
    element("span", "en", settlement.how_en),
    from === null ? null : element("span", "from", `${windOf(state, from)} ${playerName(state, from)} 打出`),
  );
}

// A settlement that a person has entered or corrected says so, and what it was before.
function amended(settlement: Settlement): HTMLElement | null {
  const { superseded, entered, author = "", edition = 1 } = settlement;
  if (superseded != null && settlement.difference?.some((change) => change !== 0)) {
    const before = superseded.map(signed).join("  ");
    return element("p", "amended", both(`更正（第${edition}版，${author}）：原为 ${before}`, "corrected; before"));
  }
  return entered ? element("p", "amended", both(`人工记入（${author}）`, "entered by hand")) : null;
}

// Hands before this one whose settlement was corrected: what it is now, and what it was.
function earlier(state: State, settlement: Settlement): HTMLElement[] {
  const { match_no = 0, corrections = [] } = state.corrections ?? {};
  const others = corrections.filter((one) => match_no === settlement.match_no && one.hand_no !== settlement.hand_no);
  return others.slice(-2).map((one) => {
    const [now, before] = [one.payments, one.superseded].map((points) => points.map(signed).join("  "));
    return element("p", "amended earlier", both(`第 ${one.hand_no} 局更正（${one.author}）：${now}，原为 ${before}`, "corrected"));
  });
}

function ranking(state: State, settlement: Settlement): HTMLElement | null {
  const found = state.ranking;
  if (!settlement.match_over || found === undefined || found.match_no !== settlement.match_no) return null;
  return element(
    "div",
    "ranking",
    both(`第 ${found.match_no} 场结束`, "the match is over"),
    ...found.ranking.map((row) =>
      element("span", "ranked", element("b", "place", String(row.place)), `${row.player} `, element("b", "", signed(row.change))),
    ),
  );
}

function signed(points: number): string {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}

function windOf(state: State, seat: Seat): string {
  return wind(seat, state.table?.dealer)[0];
}

function drawnWords(): HTMLElement {
  return element("p", "drawn-words", both("牌已摸完，无人和牌，不计分", "the wall is empty, nobody won, nobody pays"));
}

function shownHand(state: State, settlement: Settlement): HTMLElement {
  const rest = [...settlement.hand];
  const winning = settlement.tile;
  const at = winning === null ? -1 : rest.lastIndexOf(winning);
  if (at >= 0) rest.splice(at, 1);
  const mark = (tile: string): string[] => (tile === settlement.dragon ? ["wild"] : []);
  return element(
    "div",
    "shown",
    element("div", "shown-hand", ...rest.map((tile) => drawTile(tile, ...mark(tile)))),
    winning === null || at < 0
      ? null
      : element("div", "winning", drawTile(winning, "win", ...mark(winning)), both("和牌", "winning tile")),
    ...settlement.melds.map((meld) => drawMeld(meld, state)),
  );
}

function lines(settlement: Settlement): HTMLElement {
  const body = element("tbody", "", ...settlement.lines.map(drawLine));
  const unit = settlement.unit === null ? "" : `${settlement.unit}`;
  const each = settlement.point_each === null ? "" : `${settlement.point_each}`;
  return element(
    "div",
    "lines",
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
    "line",
    element("td", "line-name", both(line.zh, line.en)),
    element("td", "line-value", value),
    element("td", "line-article", line.article),
  );
}

function payments(state: State, settlement: Settlement): HTMLElement {
  return element("div", "payments", ...SEATS.map((seat) => payment(state, settlement, seat)));
}

function payment(state: State, settlement: Settlement, seat: Seat): HTMLElement {
  const points = settlement.payments[seat] ?? 0;
  const sign = points > 0 ? "gain" : points < 0 ? "loss" : "even";
  const words = signed(points);
  const change = settlement.difference?.[seat] ?? 0;
  const row = element(
    "div",
    `payment ${sign}`,
    element("span", "pay-wind", windOf(state, seat)),
    element("span", "pay-name", playerName(state, seat)),
    element("span", "pay-points", words, change === 0 ? null : element("small", "pay-change", `更正 ${signed(change)}`)),
    element("span", "pay-balance", element("small", "", "余 "), String(settlement.balances[seat] ?? "–")),
  );
  row.dataset["seat"] = String(seat);
  return row;
}
