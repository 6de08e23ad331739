// The middle of the table: the 龙 behind, the countdown before it, whose turn it is and what was discarded last.
import { countdown } from "./countdown";
import { both, element } from "./elements";
import { arrowTo, playerName, sideOf, wind } from "./people";
import { SEATS, type State } from "./payloads";
import { phaseWords } from "./phases";
import { isTurn } from "./seat";
import { drawTile, tileNames } from "./tiles";

export function drawCentre(state: State): HTMLElement {
  const dragon = state.table?.dragon ?? null;
  return element(
    "div",
    "centre",
    element("div", "centre-back", dragon === null ? "龙" : drawTile(dragon, "wild")),
    ...SEATS.map((seat) => {
      const made = element("span", isTurn(state, seat) ? "compass now" : "compass", wind(seat, state.table?.dealer)[0]);
      made.dataset["side"] = sideOf(seat);
      return made;
    }),
    element("div", "centre-words", ...words(state)),
  );
}

function words(state: State): (Node | null)[] {
  const { table, hand } = state;
  if (table === undefined) return [element("b", "now", both("龙桌", "dragon table"))];
  if (table.phase !== "playing" || hand === undefined) return [element("b", "now", phaseWords(table.phase))];
  const { turn, deadline, last_discard: last } = hand;
  const open = deadline?.seat === null;
  const counting = open ? countdown(deadline, "秒吃碰杠胡", "s to claim") : countdown(deadline, "秒出牌", "s to move");
  const mover = turn === null ? null : element("b", "now", `${arrowTo(turn)} `, playerName(state, turn));
  return [counting, mover, last === null ? null : lastDiscard(state, last)];
}

function lastDiscard(state: State, last: NonNullable<State["hand"]>["last_discard"] & object): HTMLElement {
  const [zh, en] = tileNames(last.tile);
  const by = wind(last.seat, state.table?.dealer);
  return element(
    "div",
    "centre-last",
    drawTile(last.tile, ...(last.tile === state.table?.dragon ? ["wild"] : [])),
    both(`${by[0]}家打出${zh}`, `${by[1]}: ${en}`),
  );
}
