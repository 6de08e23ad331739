// What people have to know or decide: the link, alarms, a pause, and doubts with their choices.
import { both, element } from "./elements";
import type { Link } from "./feed";
import { takesOrders } from "./orders";
import { SEATS, type Alarm, type Doubt, type State } from "./payloads";
import { saidNotice, touchButton } from "./touch";

const LINK_WORDS: Record<Exclude<Link, "live">, [string, string]> = {
  connecting: ["正在连接…", "connecting"],
  offline: ["控制器离线，所示为旧数据", "controller offline: what is shown is old"],
  stale: ["连接中断，所示为旧数据", "connection lost: what is shown is old"],
};
const PROPOSALS: readonly string[] = ["false_win", "barred"];
// Words of a choice are "Chinese (English)".
const CHOICE = /^(.*?)\s*\(([^()]*)\)$/;
const SEAT_WORDS: readonly string[] = ["一号位", "二号位", "三号位", "四号位"];
const FEW = 6;
const GIVE_UP = "放弃这一局";

export function drawNotices(state: State, link: Link): Node[] {
  const shown: (Node | null)[] = [];
  if (link !== "live") shown.push(element("div", "notice link", both(...LINK_WORDS[link])));
  const alarm = state.alarm;
  if (alarm?.active)
    shown.push(element("div", "notice alarm", `⚠ ${alarm.code ?? ""} `, both(alarm.zh, alarm.en), steps(alarm)));
  if (state.table?.paused) shown.push(pause());
  if (state.table?.locked) shown.push(element("div", "notice locked", both("已锁定：打完这一局不开新局", "locked: no other hand begins")));
  for (const doubt of state.doubt?.doubts ?? []) shown.push(drawDoubt(doubt, state.table?.players ?? []));
  shown.push(saidNotice());
  return shown.filter((each) => each !== null);
}

// What to do, step by step.
function steps(alarm: Alarm): HTMLElement | null {
  const { advice_zh: zh = [], advice_en: en = [] } = alarm;
  if (zh.length === 0) return null;
  return element("ol", "steps", ...zh.map((step, index) => element("li", "", both(step, en[index] ?? ""))));
}

function pause(): HTMLElement {
  return element(
    "div",
    "notice paused",
    "⏸ ",
    both("暂停中，桌上的动作不计", "paused: nothing counts"),
    takesOrders() ? touchButton("choice", "继续", "go on", { verb: "resume", fields: {} }) : null,
  );
}

function drawDoubt(doubt: Doubt, players: string[]): HTMLElement {
  const people = SEATS.map((seat) => `${SEAT_WORDS[seat]} ${players[seat] ?? ""}`.trim());
  return element(
    "div",
    "notice doubt",
    "？ ",
    both(doubt.zh, doubt.en),
    saidBefore(doubt, people),
    takesOrders() ? choices(doubt, people) : null,
  );
}

// What one person has said and another has to confirm, or that people differ.
function saidBefore(doubt: Doubt, people: string[]): HTMLElement | null {
  const { said = "", said_by: by = "", asked = 1 } = doubt;
  if (said !== "") {
    const [, zh = said, en = ""] = CHOICE.exec(said) ?? [];
    const who = people[SEATS.find((seat) => by === `seat ${seat + 1}`) ?? -1] ?? by;
    return element("div", "said-before", "☝ ", both(`${who}说：${zh}。请另一个人也选`, `${by} says: ${en}; another person, please`));
  }
  return asked > 1 ? element("div", "said-before", both("说法不同，请再看再选", "people differ: please look again")) : null;
}

function choices(doubt: Doubt, people: string[]): HTMLElement {
  const said = doubt.said ?? "";
  const answer = (zh: string, en: string, className: string, fields: Record<string, unknown>, persons: number): HTMLElement =>
    touchButton(className, zh, en, { verb: "answer", fields: { doubt: doubt.id, ...fields } }, persons > 1 ? people : []);
  const offered = doubt.candidates.map((text, choice) => {
    const [, zh = text, en = ""] = CHOICE.exec(text) ?? [];
    const className = text === said ? "choice said" : "choice";
    return answer(zh, en, className, { action: "choose", choice, words: text }, doubt.persons?.[choice] ?? 1);
  });
  const isProposal = PROPOSALS.includes(doubt.kind);
  const denied = said !== "" && !isProposal ? answer("不是这样", "not so", "choice quiet", { action: "deny" }, 1) : null;
  const givesUp = doubt.candidates.some((text) => text.startsWith(GIVE_UP));
  const last = isProposal
    ? answer("撤回", "withdraw", "choice quiet", { action: "withdraw" }, 1)
    : answer(GIVE_UP, "abandon the hand", "choice quiet", { action: "withdraw" }, 2);
  const className = doubt.candidates.length > FEW ? "choices many" : "choices";
  return element("div", className, ...offered, denied, givesUp ? null : last);
}
