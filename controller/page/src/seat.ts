// Draws what belongs to one seat: who sits there, claims left, warnings, open sets and discards.
import { both, element } from "./elements";
import { words } from "./language";
import { arrowTo, playerName, portrait, sideOf, wind } from "./people";
import { SEATS, type Meld, type Seat, type State } from "./payloads";
import { drawTile } from "./tiles";

const ROW = 10;
const ROWS = 2;
// So many tiles in sets fit before a seat in their usual size.
const MANY = 13;

export function drawSeat(state: State, seat: Seat): HTMLElement {
  const turn = isTurn(state, seat);
  const made = element(
    "section",
    turn ? "seat turn" : "seat",
    drawPerson(state, seat, turn),
    element("div", "open", drawPond(state, seat), drawMelds(state, seat), warnings(state, seat)),
  );
  made.dataset["seat"] = String(seat);
  made.dataset["side"] = sideOf(seat);
  made.setAttribute("aria-label", playerName(state, seat));
  return made;
}

export function isTurn({ table, hand }: State, seat: Seat): boolean {
  return table?.phase === "playing" && hand?.turn === seat;
}

function drawPerson(state: State, seat: Seat, turn: boolean): HTMLElement {
  const { scores } = state;
  const title = scores?.titles?.[seat];
  const balance = scores?.balances[seat];
  return element(
    "div",
    "who",
    element("div", "face", portrait(playerName(state, seat), seat), windMark(state, seat)),
    element(
      "div",
      "account",
      element("div", "name", playerName(state, seat)),
      element("div", "titled", title === undefined ? null : both(title.zh, title.en)),
    ),
    element(
      "div",
      "points",
      element("div", "score", balance === undefined ? "–" : String(balance)),
      scores?.points_zh ? both(scores.points_zh, scores.points_en ?? "") : null,
    ),
    claimsLeft(state, seat),
    turn ? turnWord() : null,
  );
}

function turnWord(): HTMLElement {
  return element("span", "turn-word", "▶ ", both("轮到", "to move"));
}

function windMark(state: State, seat: Seat): HTMLElement {
  const dealer = state.table?.dealer;
  const [zh, en] = wind(seat, dealer);
  const mark = element("div", dealer === seat ? "wind dealer" : "wind", element("span", "zh", zh));
  mark.title = en;
  if (dealer === seat) mark.append(element("span", "dealer-word", "庄"));
  return mark;
}

// How many sets may still be made with each opponent's discards: a dot for each, a word for none.
function claimsLeft(state: State, seat: Seat): HTMLElement | null {
  const left = state.hand?.claims_left?.[seat];
  const { phase, dealer } = state.table ?? {};
  if (left === undefined || (phase !== "playing" && phase !== "dealing")) return null;
  const others = [1, 2, 3].map((step) => ((seat + step) % 4) as Seat);
  return element(
    "div",
    "claims",
    both("可吃碰杠", "claims left"),
    ...others.map((other) => {
      const count = left[other] ?? 0;
      const dots = element("span", "dots", count > 0 ? "●".repeat(count) : words("尽", "0"));
      const chip = element("span", count > 0 ? "claim" : "claim none", wind(other, dealer)[0], dots);
      chip.dataset["of"] = String(other);
      chip.dataset["left"] = String(count);
      chip.title = words(`对${playerName(state, other)}还可${count}次`, `${count} more of ${playerName(state, other)}`);
      return chip;
    }),
  );
}

function warnings(state: State, seat: Seat): HTMLElement | null {
  const told = (state.hand?.warnings ?? []).filter((one) => one.seat === seat);
  if (told.length === 0) return null;
  const words = told.map((one) => {
    const made = element("span", "warned", both(one.zh, one.en));
    made.dataset["kind"] = one.kind;
    return made;
  });
  return element("p", "warning", warningSign(), ...words);
}

function warningSign(): HTMLElement {
  const sign = element("b", "sign", "!");
  sign.setAttribute("aria-hidden", "true");
  return sign;
}

// Rows of ten; the last two are seen, those before scroll.
function drawPond(state: State, seat: Seat): HTMLElement {
  const { hand, doubt } = state;
  const tiles = hand?.ponds[seat] ?? [];
  const lastHere = hand?.last_discard?.seat === seat;
  const pond = element(
    "div",
    "pond",
    ...tiles.map((tile, index) => drawTile(tile, ...marks(tile, state, lastHere && index === tiles.length - 1))),
  );
  const above = ROW * Math.max(0, Math.ceil(tiles.length / ROW) - ROWS);
  const asked = (doubt?.doubts ?? []).some((one) => one.seats?.includes(seat));
  const unread = tiles.filter((tile) => tile === "?").length;
  const shown = element("div", above > 0 ? "pond-window long" : "pond-window", pond);
  if (above > 0) {
    shown.tabIndex = 0;
    shown.setAttribute("role", "group");
    shown.setAttribute("aria-label", words(`${playerName(state, seat)}打出的牌`, `discards of ${playerName(state, seat)}`));
  }
  return element(
    "div",
    asked || unread > 0 ? "discards unsure" : "discards",
    shown,
    element(
      "div",
      "pond-marks",
      above > 0 ? element("span", "more", `▲ `, both(`前 ${above} 张`, `${above} before`)) : null,
      unread > 0 ? element("span", "unread", both(`未认出 ${unread} 张`, `${unread} unread`)) : null,
      asked ? element("span", "asked", both("有疑问", "in question")) : null,
    ),
  );
}

function marks(tile: string, state: State, last: boolean): string[] {
  return [...(tile === state.table?.dragon ? ["wild"] : []), ...(last ? ["last"] : [])];
}

function drawMelds(state: State, seat: Seat): HTMLElement {
  const melds = state.hand?.melds[seat] ?? [];
  const tiles = melds.reduce((sum, meld) => sum + meld.tiles.length, 0);
  return element("div", tiles > MANY ? "melds many" : "melds", ...melds.map((meld) => drawMeld(meld, state)));
}

// A set that lies open, with an arrow to whoever's discard it took.
export function drawMeld(meld: Meld, state: State): HTMLElement {
  const from = meld.taken_from;
  const made = element("div", "meld", ...meld.tiles.map((tile) => drawTile(tile, ...marks(tile, state, false))));
  made.dataset["kind"] = meld.kind;
  if (from === null || !SEATS.includes(from)) return made;
  const source = element("span", "source", `${arrowTo(from)}${wind(from, state.table?.dealer)[0]}`);
  source.title = words(`取自${playerName(state, from)}`, `from ${playerName(state, from)}`);
  made.append(source);
  made.dataset["from"] = String(from);
  return made;
}
