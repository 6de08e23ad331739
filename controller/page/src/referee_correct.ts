// A hand of the match is corrected: one event is another, did not happen or is missing, or the result is another.
import { both, element } from "./elements";
import { choose, type Choice, heading, note, press, seatChoices, signed, text, type Words } from "./forms";
import { consider, isBusy, lastSaid } from "./referee_trial";
import { drawWin, winIsTold, winLine } from "./referee_win";
import { HOW_WORDS, type HandItem, type HandsSheet } from "./sheets";
import { tileKeys } from "./tilekeys";
import { drawTile } from "./tiles";

type Doing = "replace" | "insert" | "remove" | "result";

const LONGEST_LINE = 200;
const RESULTS = /^(win|exhausted|entered)\b/;
const ASKED = /请在answers里给出(\w+)：(.+)$/;

const ANSWERS: Record<string, Words> = { yes: ["是", "yes"], no: ["否", "no"] };

let deal: number | null = null;
let index: number | null = null;
let doing: Doing | null = null;
let line = "";
let answers: Record<string, string> = {};

export function forgetCorrection(): void {
  [deal, index, doing, line, answers] = [null, null, null, "", {}];
}

export function drawCorrect(sheet: HandsSheet, redraw: () => void): Node[] {
  const hand = sheet.hands.find((each) => each.deal === deal);
  if (hand === undefined) return drawHands(sheet, redraw);
  const other = press("other-hand", "quiet", ["‹ 另选一局", "another hand"], () => {
    forgetCorrection();
    redraw();
  });
  return [element("div", "part-head", heading([`第${hand.hand_no}局`, `hand ${hand.hand_no}`]), other), ...drawEvents(hand, sheet, redraw)];
}

function drawHands(sheet: HandsSheet, redraw: () => void): Node[] {
  if (sheet.hands.length === 0) return [note("", ["这一场还没有打过", "no hand of this match was played yet"])];
  const cards = sheet.hands.map((hand) => {
    const payments = sheet.players.map((name, seat) => `${name} ${signed(hand.payments[seat] ?? 0)}`).join("　");
    const edited = hand.edition > 1 ? [element("span", "edition", both(`已更正（第${hand.edition}版）`, `edition ${hand.edition}`))] : [];
    const reason = hand.reason === "" ? [] : [element("span", "about", both(`原因：${hand.reason}`, ""))];
    const why = hand.why_not === null ? [] : [element("span", "about refused", both(hand.why_not.zh, hand.why_not.en))];
    return press(`hand-${hand.deal}`, "card", handWords(hand), () => {
      deal = hand.deal;
      redraw();
    }, { disabled: hand.why_not !== null, extra: [element("span", "about", payments), ...reason, ...edited, ...why] });
  });
  return [heading(["更正哪一局", "which hand"]), element("div", "cards", ...cards)];
}

function handWords(hand: HandItem): Words {
  const [zh, en] = HOW_WORDS[hand.how] ?? [hand.how, hand.how];
  const who = hand.winner === null ? ["", ""] : [`${hand.winner + 1}号位`, `seat ${hand.winner + 1} `];
  return [`第${hand.hand_no}局：${who[0] ?? ""}${zh}`, `hand ${hand.hand_no}: ${who[1] ?? ""}${en}`];
}

function drawEvents(hand: HandItem, sheet: HandsSheet, redraw: () => void): Node[] {
  if (doing === "result") return drawResult(hand, sheet, redraw);
  const rows = hand.events.flatMap((event, place) => {
    const words: Words = event.zh === "" ? [event.line, ""] : [event.zh, event.en];
    const row = press(`event-${place}`, "event", words, () => {
      index = index === place ? null : place;
      doing = null;
      answers = {};
      redraw();
    }, { pressed: index === place, extra: [element("code", "", event.line)] });
    return index === place ? [row, drawEdit(hand, sheet, place, redraw)] : [row];
  });
  const result = press("result", "wide", ["改结果（谁胡、荒庄）", "another result"], () => {
    doing = "result";
    redraw();
  });
  return [result, note("", ["或点一条记录来改：", "or touch the event that is wrong:"]), element("div", "events", ...rows)];
}

function drawEdit(hand: HandItem, sheet: HandsSheet, place: number, redraw: () => void): HTMLElement {
  const start = (wished: Doing) => (): void => {
    doing = wished;
    line = wished === "replace" ? (hand.events[place]?.line ?? "") : "";
    redraw();
  };
  const buttons = element(
    "div",
    "foot-buttons",
    press("edit-replace", "wide", ["改成别的", "replace"], start("replace"), { pressed: doing === "replace" }),
    press("edit-insert", "wide", ["在后面补一条", "add after it"], start("insert"), { pressed: doing === "insert" }),
    press("edit-remove", "wide", ["没有发生", "did not happen"], () => {
      doing = "remove";
      ask(hand, place, []);
    }),
  );
  const box = element("div", "event-edit", buttons);
  if (doing === "replace" || doing === "insert") box.append(...drawLine(hand, sheet, place, redraw));
  box.append(...drawQuestion(hand, redraw));
  return box;
}

function drawLine(hand: HandItem, sheet: HandsSheet, place: number, redraw: () => void): Node[] {
  const plain = /^(?:discard ([0-3]) (\S+)|indicator (\S+))?$/.exec(line);
  const parts: Node[] = [];
  const go = press("edit-go", "wide strong", ["看结果", "see what it does"], () => ask(hand, place, [line.trim()]), {
    disabled: isBusy() || line.trim() === "",
  });
  if (plain !== null && !line.startsWith("indicator")) {
    const seat = plain[1] === undefined ? null : Number(plain[1]);
    const tile = plain[2] ?? "";
    parts.push(
      note("", ["谁打了什么：", "who discarded what:"]),
      choose("line-seat", ["谁", "who"], seatChoices(sheet.players), seat, (value) => {
        line = `discard ${value} ${tile === "" ? "?" : tile}`;
        redraw();
      }),
    );
    if (seat !== null) parts.push(tileKeys("line-key", () => 1, (picked) => {
      line = `discard ${seat} ${picked}`;
      redraw();
    }));
    if (tile !== "" && tile !== "?") parts.push(element("div", "picked-tiles", drawTile(tile)));
  } else if (line.startsWith("indicator")) {
    parts.push(tileKeys("line-key", () => 1, (picked) => {
      line = `indicator ${picked}`;
      redraw();
    }));
  }
  const field = text("line", ["记录里的一行", "the line of the record"], line, LONGEST_LINE, (typed) => {
    line = typed;
    go.toggleAttribute("disabled", line.trim() === "" || isBusy());
  });
  return [...parts, field, go];
}

// The rule set may need to know more to settle it: its question with the answers that it takes.
function drawQuestion(hand: HandItem, redraw: () => void): Node[] {
  const found = ASKED.exec(lastSaid()?.zh ?? "");
  if (found === null) return [];
  const [question = "", offered = ""] = found.slice(1);
  const choices = offered.split(/[,，、]\s*/).map((value): Choice<string> => ({ value, told: ANSWERS[value] ?? [value, ""] }));
  return [
    choose("answer", [question, question], choices, answers[question] ?? null, (value) => {
      answers = { ...answers, [question]: value };
      if (index !== null) ask(hand, index, doing === "remove" ? [] : [line.trim()]);
      else if (doing === "result") askResult(hand);
      redraw();
    }),
  ];
}

function drawResult(hand: HandItem, sheet: HandsSheet, redraw: () => void): Node[] {
  const back = press("result-back", "quiet", ["‹ 记录", "events"], () => {
    doing = null;
    redraw();
  });
  const go = press("result-go", "wide strong", ["看结果", "see what it does"], () => askResult(hand), {
    disabled: isBusy() || !winIsTold(),
  });
  return [back, ...drawWin(sheet, false, redraw), ...drawQuestion(hand, redraw), element("div", "foot-buttons", go)];
}

// The result stands in the place of the one on record, or after all that was played.
function askResult(hand: HandItem): void {
  const last = hand.events.findIndex((event) => RESULTS.test(event.line));
  index = null;
  send(hand, last < 0 ? hand.events.length : last, [winLine()]);
}

function ask(hand: HandItem, place: number, events: string[]): void {
  if (doing === "insert") {
    const kept = hand.events[place]?.line;
    send(hand, place, kept === undefined ? events : [kept, ...events]);
  } else send(hand, place, events);
}

function send(hand: HandItem, place: number, events: string[]): void {
  void consider({ verb: "correct", fields: { deal: hand.deal, index: place, events, answers } });
}
