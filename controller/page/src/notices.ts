// What people have to know or decide: the link, alarms, a pause, and doubts with their choices.
import { both, element } from "./elements";
import type { Link } from "./feed";
import { takesOrders } from "./orders";
import type { Alarm, Doubt, State } from "./payloads";
import { saidNotice, touchButton } from "./touch";

const LINK_WORDS: Record<Exclude<Link, "live">, [string, string]> = {
  connecting: ["正在连接…", "connecting"],
  offline: ["控制器离线，所示为旧数据", "controller offline: what is shown is old"],
  stale: ["连接中断，所示为旧数据", "connection lost: what is shown is old"],
};
const PROPOSALS: readonly string[] = ["false_win", "barred"];
// Words of a choice are "Chinese (English)".
const CHOICE = /^(.*?)\s*\(([^()]*)\)$/;
const FEW = 6;
const GIVE_UP = "放弃这一局";

export function drawNotices(state: State, link: Link): Node[] {
  const shown: (Node | null)[] = [];
  if (link !== "live") shown.push(element("div", "notice link", both(...LINK_WORDS[link])));
  const alarm = state.alarm;
  if (alarm?.active)
    shown.push(element("div", "notice alarm", `⚠ ${alarm.code ?? ""} `, both(alarm.zh, alarm.en), steps(alarm)));
  if (state.table?.paused) shown.push(pause());
  for (const doubt of state.doubt?.doubts ?? []) shown.push(drawDoubt(doubt));
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

function drawDoubt(doubt: Doubt): HTMLElement {
  return element("div", "notice doubt", "？ ", both(doubt.zh, doubt.en), takesOrders() ? choices(doubt) : null);
}

function choices(doubt: Doubt): HTMLElement {
  const answer = (zh: string, en: string, className: string, fields: Record<string, unknown>): HTMLElement =>
    touchButton(className, zh, en, { verb: "answer", fields: { doubt: doubt.id, ...fields } });
  const offered = doubt.candidates.map((text, choice) => {
    const [, zh = text, en = ""] = CHOICE.exec(text) ?? [];
    return answer(zh, en, "choice", { action: "choose", choice, words: text });
  });
  const givesUp = doubt.candidates.some((text) => text.startsWith(GIVE_UP));
  const last = PROPOSALS.includes(doubt.kind)
    ? answer("撤回", "withdraw", "choice quiet", { action: "withdraw" })
    : answer(GIVE_UP, "abandon the hand", "choice quiet", { action: "withdraw" });
  return element("div", doubt.candidates.length > FEW ? "choices many" : "choices", ...offered, givesUp ? null : last);
}
