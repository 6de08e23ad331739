// Before an order of the referee is given: what it would do, before and after, and the question whether to do it.
import { both, element } from "./elements";
import { heading, note, press, SEAT_WORDS, signed, type Words } from "./forms";
import type { Answer, HandChange, Tried } from "./orders";
import { order, tryOut, type Order } from "./referee_orders";
import { HOW_WORDS } from "./sheets";

interface Trial {
  wanted: Order;
  answer: Answer;
}

let trial: Trial | null = null;
let said: Answer | null = null;
let busy = false;
let redraw: () => void = () => undefined;
let done: () => void = () => undefined;

// `carriedOut` is called when an order was given and done.
export function whenTried(draw: () => void, carriedOut: () => void): void {
  redraw = draw;
  done = carriedOut;
}

export function forgetTrial(): void {
  trial = null;
  said = null;
}

export function isTrying(): boolean {
  return trial !== null;
}

export function isBusy(): boolean {
  return busy;
}

// Asks the controller what the order would do, and shows it with the question.
export async function consider(wanted: Order): Promise<void> {
  if (busy) return;
  said = null;
  const answer = await whileBusy(() => tryOut(wanted));
  if (answer.done) trial = { wanted, answer };
  else said = answer;
  redraw();
}

// Gives an order that moves no points at once.
export async function giveNow(wanted: Order): Promise<void> {
  if (busy) return;
  said = await whileBusy(() => order(wanted));
  if (said.done) done();
  redraw();
}

async function whileBusy(work: () => Promise<Answer>): Promise<Answer> {
  busy = true;
  redraw();
  const answer = await work();
  busy = false;
  return answer;
}

async function confirmed(): Promise<void> {
  if (trial === null || busy) return;
  const { wanted } = trial;
  said = await whileBusy(() => order(wanted));
  if (said.done) {
    trial = null;
    done();
  }
  redraw();
}

// What was answered last, for the foot of the screen.
export function drawSaid(): Node[] {
  if (said === null) return [];
  const told = note(said.done ? "said" : "refused", [said.zh, said.en]);
  told.setAttribute("role", "status");
  return [told];
}

export function lastSaid(): Answer | null {
  return said;
}

export function drawTrial(players: readonly string[]): Node[] {
  if (trial === null) return [];
  const { answer } = trial;
  const tried = answer.tried;
  const parts: Node[] = [heading(["会变成这样", "this is what it would do"]), note("would", [answer.zh, answer.en])];
  if (tried !== undefined) {
    const tables = [...tried.hands.map((hand) => handChange(hand, players)), pointsChange(tried, players)];
    parts.push(element("div", "change-tables", ...tables));
  }
  const lines = (answer.changed ?? []).map((line) => element("li", "", line));
  if (lines.length > 0) parts.push(element("details", "lines", element("summary", "", both("逐条", "line by line")), element("ul", "", ...lines)));
  const back = press("trial-back", "wide quiet", ["不执行", "don't"], () => {
    trial = null;
    redraw();
  }, { disabled: busy });
  const go = press("trial-confirm", "wide strong", ["确认执行", "do it"], () => void confirmed(), { disabled: busy });
  parts.push(...drawSaid(), element("div", "foot-buttons", back, go));
  return [element("section", "trial", ...parts)];
}

function handChange(hand: HandChange, players: readonly string[]): HTMLElement {
  const [was, how] = [HOW_WORDS[hand.was] ?? [hand.was, hand.was], HOW_WORDS[hand.how] ?? [hand.how, hand.how]];
  const title: Words = [`第${hand.hand_no}局：${was[0]} → ${how[0]}`, `hand ${hand.hand_no}: ${was[1]} → ${how[1]}`];
  return table(title, players, hand.before.map(signed), hand.after.map(signed), hand.after.map((points, seat) => points - (hand.before[seat] ?? 0)));
}

function pointsChange(tried: Tried, players: readonly string[]): HTMLElement {
  const changes = tried.after.map((points, seat) => points - (tried.balances[seat] ?? 0));
  return table(["各家分数", "points"], players, tried.balances.map(String), tried.after.map(String), changes);
}

function table(title: Words, players: readonly string[], before: string[], after: string[], changes: number[]): HTMLElement {
  const head = ["", both("现在", "now"), both("之后", "then"), both("差", "change")].map((cell) => element("th", "", cell));
  const rows = SEAT_WORDS.map(([zh, en], seat) => {
    const change = changes[seat] ?? 0;
    const className = change > 0 ? "gain" : change < 0 ? "loss" : "";
    return element(
      "tr",
      className,
      element("th", "", both(`${zh} ${players[seat] ?? ""}`, en)),
      element("td", "", before[seat] ?? ""),
      element("td", "", after[seat] ?? ""),
      element("td", "change", signed(change)),
    );
  });
  const caption = element("caption", "", both(title[0], title[1]));
  return element("table", "change-table", caption, element("tr", "", ...head), ...rows);
}
