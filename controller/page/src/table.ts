// Draws the hand in play as people sit round a table: four sides about the centre, the 龙 at the upper left.
import { drawCentre } from "./centre";
import { both, element } from "./elements";
import { SEATS, type State } from "./payloads";
import { phaseWords } from "./phases";
import { drawSeat } from "./seat";
import { drawTile, tileNames } from "./tiles";
import { isTurned } from "./turned";

export { playerName, wind } from "./people";
export { drawMeld } from "./seat";

// Pips of a die by the cells of a square of nine.
const PIPS: readonly string[] = ["", "4", "08", "048", "0268", "02468", "023568"];

export function drawTable(state: State): Node[] {
  const felt = element(
    "div",
    isTurned() ? "felt turned" : "felt",
    drawDragon(state),
    drawHand(state),
    drawCentre(state),
    ...SEATS.map((seat) => drawSeat(state, seat)),
  );
  return [felt];
}

function drawDragon({ table }: State): HTMLElement {
  const dragon = table?.dragon ?? null;
  const left = table?.tiles_left ?? null;
  const made = element(
    "aside",
    "corner",
    dragon === null ? element("div", "dragon-none", "龙") : element("div", "dragon-tile", drawTile(dragon, "wild")),
    element(
      "div",
      "dragon-side",
      element(
        "div",
        "dragon-name",
        element("span", "dragon-word", "龙"),
        dragon === null ? both("未翻牌", "not turned yet") : both(...tileNames(dragon)),
      ),
      fact("余牌", "tiles left", element("b", "tiles-left", left === null ? "–" : String(left))),
      fact("底注", "stake", element("b", "stake", String(table?.stake ?? 1))),
    ),
  );
  made.id = "dragon";
  made.setAttribute("aria-label", "龙");
  return made;
}

function drawHand({ table, hand }: State): HTMLElement {
  const indicator = hand?.indicator ?? null;
  return element(
    "aside",
    "corner about",
    element(
      "div",
      "where",
      table === undefined
        ? element("b", "hand-no", "龙桌")
        : element("b", "hand-no", both(`第 ${Math.max(1, table.match_no)} 场 第 ${table.hand_no} 局`, `match ${Math.max(1, table.match_no)}, hand ${table.hand_no}`)),
      table === undefined ? null : element("span", "phase", phaseWords(table.phase)),
    ),
    element(
      "div",
      "facts",
      fact("翻牌", "indicator", indicator === null ? element("b", "", "–") : drawTile(indicator)),
      fact("骰子", "dice", element("span", "dice", ...(table?.dice ?? []).map(die), table?.dice == null ? element("b", "", "–") : null)),
    ),
  );
}

function fact(zh: string, en: string, value: Node): HTMLElement {
  return element("div", "fact", both(zh, en), value);
}

function die(pips: number): HTMLElement {
  const cells = PIPS[pips] ?? "";
  const made = element("span", "die", ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((cell) => element("i", cells.includes(String(cell)) ? "pip" : "")));
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", String(pips));
  return made;
}
