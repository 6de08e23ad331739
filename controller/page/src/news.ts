// What happened at the table, found by comparing what was shown with what has just come live.
import type { Meld, Seat, State } from "./payloads";
import type { Topic } from "./ages";

export type News =
  | { kind: "dragon"; indicator: string; dragon: string | null }
  | { kind: "discard"; tile: string }
  | { kind: "meld"; seat: Seat; meld: Meld }
  | { kind: "won" }
  | { kind: "drawn" };

export function newsOf(before: State, now: State, topic: Topic): News[] {
  if (topic === "settlement") return settled(before, now);
  if (topic !== "hand" || before.hand === undefined || now.hand === undefined) return [];
  const { hand: was } = before;
  const { hand } = now;
  const found: News[] = [];
  if (was.indicator === null && hand.indicator !== null)
    found.push({ kind: "dragon", indicator: hand.indicator, dragon: hand.dragon });
  hand.melds.forEach((melds, seat) => {
    const meld = melds.at(-1);
    const made = melds.length > (was.melds[seat]?.length ?? 0) || kongs(melds) > kongs(was.melds[seat] ?? []);
    if (made && meld !== undefined) found.push({ kind: "meld", seat: seat as Seat, meld });
  });
  const last = hand.last_discard;
  const known = JSON.stringify([was.last_discard, was.ponds]) === JSON.stringify([last, hand.ponds]);
  if (last !== null && !known && found.length === 0) found.push({ kind: "discard", tile: last.tile });
  return found;
}

function kongs(melds: Meld[]): number {
  return melds.filter((meld) => meld.kind === "added_kong").length;
}

function settled({ settlement: was }: State, { settlement }: State): News[] {
  if (settlement === undefined) return [];
  if (was?.hand_no === settlement.hand_no && was.match_no === settlement.match_no) return [];
  return [{ kind: settlement.drawn ? "drawn" : "won" }];
}
