// Draws how a match stands or has ended: the places, and the points over its hands.
import { drawChart, mark, type Course } from "./chart";
import { both, element, shape } from "./elements";
import { openView } from "./navigation";
import { SEATS, type Ranking, type RankedSeat, type Seat, type State } from "./payloads";
import { plain, signed } from "./settlement";
import { playerName } from "./table";

interface Standings {
  over: boolean;
  certain: boolean;
  ended: string;
  match_no: number;
  hands: number;
  rows: readonly RankedSeat[];
  course: Course;
}

// The ranking comes by itself when the match is over: after the settlement that ended it, or at once where a person
// has ended it.
export function asksForRanking({ table, ranking, settlement }: State): boolean {
  if (table === undefined || ranking === undefined || ranking.match_no !== table.match_no) return false;
  const read = table.phase === "settled" || table.phase === "drawn";
  if (read) return ranking.ended === "ended" && settlement?.match_over !== true;
  return ["idle", "hatch_open", "shuffling", "walls"].includes(table.phase);
}

export function drawRanking(state: State): Node[] {
  const found = standings(state);
  if (found === null) return [element("p", "drawn-words", both("还没有打完的局", "no hand has been played yet")), back(state)];
  return [
    element("header", "headline", ...title(found), back(state)),
    element("div", "standing", places(found), element("div", "course-of", drawChart(found.course), legend())),
  ];
}

function title({ over, match_no, hands, certain, ended }: Standings): Node[] {
  const way = over ? both(`第 ${match_no} 场结束`, "the match is over") : both(`第 ${match_no} 场`, "so far");
  return [
    element("span", "way", way),
    element("span", "which", both(`共 ${hands} 局`, `${hands} hands`)),
    ...(ended === "ended" ? [element("span", "which", both("由人结束", "ended by people"))] : []),
    ...(certain ? [] : [element("span", "amended", both("？ 有一局没有结算，分数未确认", "a hand was not settled: not confirmed"))]),
  ];
}

// The ranking of the match that is over, or how the running one stands.
function standings(state: State): Standings | null {
  const { ranking, table, scores } = state;
  if (ranking !== undefined && (table === undefined || ranking.match_no === table.match_no || scores === undefined))
    return ended(ranking);
  if (scores === undefined || table === undefined) return null;
  const { balances, start_points: start, history: hands = [] } = scores;
  const rows = SEATS.map((seat): RankedSeat => {
    const points = balances[seat] ?? 0;
    const place = 1 + balances.filter((other) => other > points).length;
    return { place, seat, player: playerName(state, seat), points, change: points - start };
  });
  rows.sort((one, other) => one.place - other.place || one.seat - other.seat);
  return {
    over: false,
    certain: true,
    ended: "",
    match_no: Math.max(1, table.match_no),
    hands: hands.length,
    rows,
    course: { start, hands, end: balances, names: SEATS.map((seat) => playerName(state, seat)) },
  };
}

function ended(ranking: Ranking): Standings {
  const { match_no, hands, certain, ranking: rows, start_points, history = [], ended: how = "" } = ranking;
  const of = (seat: Seat): RankedSeat | undefined => rows.find((row) => row.seat === seat);
  const end = SEATS.map((seat) => of(seat)?.points ?? 0);
  const first = rows[0];
  const start = start_points ?? (first === undefined ? 0 : first.points - first.change);
  const course = { start, hands: history, end, names: SEATS.map((seat) => of(seat)?.player ?? "") };
  return { over: true, certain, ended: how, match_no, hands, rows, course };
}

function places({ rows }: Standings): HTMLElement {
  return element("ol", "places", ...rows.map(placed));
}

function placed(row: RankedSeat): HTMLElement {
  const sign = row.change > 0 ? "gain" : row.change < 0 ? "loss" : "even";
  const symbol = shape("svg", { viewBox: "-16 -16 32 32", class: "place-mark", "aria-hidden": "true" });
  symbol.append(mark(row.seat, 0, 0, 11));
  const item = element(
    "li",
    `placed ${row.place === 1 ? "first" : ""}`,
    element("b", "place", String(row.place)),
    symbol,
    element("span", "placed-name", row.player),
    element("b", "placed-points", plain(row.points)),
    element("span", `placed-change ${sign}`, signed(row.change)),
  );
  item.dataset["seat"] = String(row.seat);
  return item;
}

function legend(): HTMLElement {
  return element("p", "legend", both("实心记号：这一局和牌；虚线各家不同", "a mark: won that hand; each line has its own dashes"));
}

function back(state: State): HTMLElement {
  const settled = state.settlement !== undefined && state.table?.phase !== "playing" && state.table?.phase !== "dealing";
  const button = element("button", "to-ranking", settled ? both("看结算", "settlement") : both("回到牌桌", "back to the table"));
  button.setAttribute("type", "button");
  button.dataset["key"] = "back";
  button.addEventListener("click", () => openView(settled ? "settlement" : null));
  return button;
}
