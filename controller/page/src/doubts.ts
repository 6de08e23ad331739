// Draws a doubt: what is not clear, how it looked, what may be chosen, who has to say so, and what else resolves it.
import { both, element } from "./elements";
import { icon } from "./icons";
import { words } from "./language";
import { takesOrders } from "./orders";
import { SEATS, type Doubt } from "./payloads";
import { choiceButton, confirmation, deafAtFirst, touchButton, type Order } from "./touch";

const PROPOSALS: readonly string[] = ["false_win", "barred"];
// Words of a choice are "Chinese (English)", several of them one after the other.
const CHOICE = /^(.*?)\s*\(([^()]*)\)$/;
const ENGLISH = /\s*\(([^()]*)\)/g;
const ROLL = /^([1-6]) ([1-6])$/;
export const SEAT_WORDS: readonly string[] = ["一号位", "二号位", "三号位", "四号位"];
const FEW = 6;
const GIVE_UP = "放弃这一局";
// Points of the four seats at the end of a question, with the words before them.
const POINTS = /^(.*?)[，,]?\s*(?:各家|points )((?:-?\d+ ){3}-?\d+)$/;
const PICTURE = /^[a-z0-9-]*-(pond|meld|hand)-([0-3])\.jpg$|^[a-z0-9-]*-(indicator|dice)\.jpg$/;
const MOST_PICTURES = 4;
const PARTS: Record<string, [string, string]> = {
  pond: ["牌河", "pond"],
  meld: ["副露", "sets"],
  hand: ["亮出的牌", "hand laid open"],
  indicator: ["翻牌", "indicator"],
  dice: ["骰子", "dice"],
};
// The least likelihood of each word.
const LIKELY: readonly [number, string, string][] = [
  [0.85, "很可能", "very likely"],
  [0.5, "多半是", "probably"],
  [0.2, "有可能", "possible"],
  [0, "不大可能", "unlikely"],
];

const RESOLVERS: Record<string, [string, string]> = {
  look: ["把牌摆正、手拿开，看清了会自动解决", "lay the tiles straight, hands away: it resolves itself"],
  key: ["按升降键", "press the lift key"],
  person: ["请在这里选", "choose here"],
};

export function namesOf(players: readonly string[]): string[] {
  return SEATS.map((seat) => `${SEAT_WORDS[seat]} ${players[seat] ?? ""}`.trim());
}

// Chinese and English of the words of a choice.
export function choiceWords(text: string): [string, string] {
  const [, zh, en] = CHOICE.exec(text) ?? [];
  if (zh === undefined || !/\([^()]*\)/.test(zh)) return [zh ?? text, en ?? ""];
  const english = [...text.matchAll(ENGLISH)].map((found) => found[1] ?? "");
  return [text.replace(ENGLISH, ""), english.join(", ")];
}

let seen = "";

export function drawDoubt(doubt: Doubt, players: readonly string[], folding: HTMLElement): HTMLElement {
  const people = namesOf(players);
  const [question, points] = asked(doubt);
  const pictures = (points === null ? (doubt.pictures ?? []) : []).flatMap(drawPicture).slice(0, MOST_PICTURES);
  const offered = takesOrders() ? choices(doubt, people) : null;
  const shown = [doubt.id, doubt.zh, ...doubt.candidates].join("\n");
  if (shown !== seen && offered !== null) deafAtFirst([...offered.querySelectorAll("button")]);
  seen = shown;
  const count = Math.min(pictures.length, MOST_PICTURES);
  return element(
    "section",
    "notice doubt panel",
    element("header", "asks", icon("question"), element("h2", "question", both(...question)), folding),
    element(
      "div",
      `doubt-body${count > 0 ? "" : " blind"}${points === null ? "" : " counted"}`,
      points === null ? null : pointsOf(points, people),
      count > 0 ? element("div", `pictures of-${count}`, ...pictures) : null,
      offered ?? element("ul", "read-only", ...doubt.candidates.map((text) => element("li", "", both(...choiceWords(text))))),
    ),
    element("footer", "resolves", offered === null ? null : confirmation((order) => belongs(order, doubt)) ?? state(doubt, people)),
  );
}

// The question in words, and the points that it is about.
function asked(doubt: Doubt): [[string, string], string[] | null] {
  const [, zh, points] = POINTS.exec(doubt.zh) ?? [];
  const [, en, same] = POINTS.exec(doubt.en) ?? [];
  if (doubt.kind !== "points" || zh === undefined || en === undefined || points === undefined || points !== same)
    return [[doubt.zh, doubt.en], null];
  return [[zh, en], points.split(" ")];
}

function pointsOf(points: readonly string[], people: readonly string[]): HTMLElement {
  const each = points.map((number, seat) => element("div", "each", element("span", "whose", people[seat] ?? ""), element("b", "holds", number.replace("-", "−"))));
  return element("div", "points-asked", ...each);
}

function belongs(order: Order, doubt: Doubt): boolean {
  return order.verb === "answer" && order.fields["doubt"] === doubt.id;
}

// What has been said, that people differ, or what would resolve it.
function state(doubt: Doubt, people: readonly string[]): HTMLElement {
  const said = saidBefore(doubt, people);
  const ways = (doubt.resolved_by ?? []).flatMap((way) => (RESOLVERS[way] === undefined ? [] : [both(...RESOLVERS[way])]));
  const two = (doubt.persons ?? []).some((number) => number > 1);
  const needs = two ? element("p", "needs-two", icon("people"), both("要两个人说的一样才算数", "counts when two people say the same")) : null;
  const list = ways.length === 0 ? null : element("ul", "ways", ...ways.map((way) => element("li", "", way)));
  return element("div", "status", said, list, said === null ? needs : null);
}

// What one person has said and another has to confirm, or that people differ.
function saidBefore(doubt: Doubt, people: readonly string[]): HTMLElement | null {
  const { said = "", said_by: by = "", asked = 1 } = doubt;
  if (said !== "") {
    const [zh, en] = choiceWords(said);
    const who = people[SEATS.find((seat) => by === `seat ${seat + 1}`) ?? -1] ?? by;
    const told = both(`${who}说：${zh}。请另一个人也选`, `${by} says: ${en || zh}; another person, please`);
    const back = PROPOSALS.includes(doubt.kind) ? null : touchButton("take-back", "收回", "take back", { verb: "undo", fields: {} });
    return element("div", "said-before", icon("people"), told, back);
  }
  return asked > 1 ? element("div", "said-before", icon("people"), both("说法不同，请再看再选", "people differ: please look again")) : null;
}

function choices(doubt: Doubt, people: readonly string[]): HTMLElement {
  const said = doubt.said ?? "";
  const answer = (told: [string, string], className: string, fields: Record<string, unknown>, persons: number, ...more: (Node | null)[]): HTMLElement => {
    const order = { verb: "answer", fields: { doubt: doubt.id, ...fields } };
    return choiceButton(className, told, order, persons > 1 ? people : [], ...more);
  };
  const offered = doubt.candidates.map((text, choice) => {
    const told = choiceWords(text);
    const fields = { action: "choose", choice, words: text };
    const likely = likelihood(doubt.likelihoods?.[choice] ?? null);
    const className = text === said ? "choice said" : "choice";
    const shown = ROLL.test(text) ? pips(text) : both(...told);
    return answer(told, className, fields, doubt.persons?.[choice] ?? 1, shown, text === said ? both("有人这样说", "one says so") : likely);
  });
  const isProposal = PROPOSALS.includes(doubt.kind);
  const quiet = (zh: string, en: string, action: string, persons: number): HTMLElement =>
    answer([zh, en], "choice quiet", { action }, persons, both(zh, en));
  const denied = said !== "" && !isProposal ? quiet("不是这样", "not so", "deny", 1) : null;
  const givesUp = doubt.candidates.some((text) => text.startsWith(GIVE_UP));
  const last = isProposal ? quiet("撤回", "withdraw", "withdraw", 1) : quiet(GIVE_UP, "abandon the hand", "withdraw", 2);
  const all = [...offered, denied, givesUp ? null : last];
  const className = doubt.candidates.length > FEW ? "choices many" : "choices";
  return element("div", className, ...all);
}

// How likely a choice is, in words and as a bar; nothing where the table does not tell.
function likelihood(likely: number | null): HTMLElement | null {
  if (likely === null) return null;
  const [, zh, en] = LIKELY.find(([least]) => likely >= least) ?? [0, "", ""];
  const bar = element("span", "bar");
  bar.style.setProperty("--share", String(Math.max(0, Math.min(1, likely))));
  return element("span", "likely", both(zh, en), bar);
}

function pips(text: string): HTMLElement {
  const [, first = "1", second = "1"] = ROLL.exec(text) ?? [];
  return element("span", "roll", element("b", "pip", first), element("b", "pip", second));
}

// Names that are none of ours are not asked for.
function drawPicture(name: string): HTMLElement[] {
  const [, kind, seat, alone] = PICTURE.exec(name) ?? [];
  const part = kind ?? alone;
  if (part === undefined) return [];
  const [zh, en] = PARTS[part] ?? [part, ""];
  const owner = seat === undefined ? "" : (SEAT_WORDS[Number(seat)] ?? "");
  const image = document.createElement("img");
  image.src = `pictures/${encodeURIComponent(name)}`;
  image.alt = words(`${owner}${zh}的照片`, `picture of the ${en}${seat === undefined ? "" : ` of seat ${Number(seat) + 1}`}`);
  image.decoding = "async";
  const english = seat === undefined ? en : `seat ${Number(seat) + 1}: ${en}`;
  const figure = element("figure", `picture ${part}`, image, element("figcaption", "", both(`${owner}${zh}`, english)));
  image.addEventListener("error", () => figure.classList.add("gone"));
  return [figure];
}
