// The display of one table: follows its state over MQTT and draws it. It only shows; it sends nothing.
import { both, element } from "./elements";
import { follow, type Feed, type Link } from "./feed";
import type { Alarm, Phase, State } from "./payloads";
import { drawSettlement } from "./settlement";
import { drawDragon, drawSeats } from "./table";

// The settlement stays up until the next hand is dealt: people read it while the table shuffles.
const SETTLEMENT_PHASES: readonly Phase[] = ["settled", "drawn", "hatch_open", "shuffling", "walls"];
const LINK_WORDS: Record<Exclude<Link, "live">, [string, string]> = {
  connecting: ["正在连接…", "connecting"],
  offline: ["控制器离线，所示为旧数据", "controller offline: what is shown is old"],
  stale: ["连接中断，所示为旧数据", "connection lost: what is shown is old"],
};

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no part ${id}`);
  return found;
}

function show({ state, link }: Feed): void {
  part("display").dataset["link"] = link;
  part("display").dataset["phase"] = state.table?.phase ?? "";
  part("dragon").replaceChildren(...drawDragon(state));
  part("notices").replaceChildren(...notices(state, link));
  const settlement = shownSettlement(state);
  part("seats").hidden = settlement !== null;
  part("settlement").hidden = settlement === null;
  if (settlement === null) part("seats").replaceChildren(...drawSeats(state));
  else part("settlement").replaceChildren(...drawSettlement(state, settlement));
}

// A payload of another shape than agreed must not stop the page: the rest goes on and the parts that failed say so.
function showWhatCanBeShown(feed: Feed): void {
  try {
    show(feed);
  } catch (reason) {
    console.error(reason);
    part("notices").replaceChildren(
      element("div", "notice alarm", both("收到的数据有误，无法显示", "a message has another shape than agreed")),
    );
  }
}

function shownSettlement(state: State): NonNullable<State["settlement"]> | null {
  const { table, settlement } = state;
  if (table === undefined || settlement === undefined) return null;
  return SETTLEMENT_PHASES.includes(table.phase) ? settlement : null;
}

function notices(state: State, link: Link): Node[] {
  const shown: Node[] = [];
  if (link !== "live") shown.push(element("div", "notice link", both(...LINK_WORDS[link])));
  const alarm = state.alarm;
  if (alarm?.active)
    shown.push(element("div", "notice alarm", `⚠ ${alarm.code ?? ""} `, both(alarm.zh, alarm.en), steps(alarm)));
  for (const doubt of state.doubt?.doubts ?? [])
    shown.push(element("div", "notice doubt", "？ ", both(doubt.zh, doubt.en)));
  return shown;
}

// What to do, step by step.
function steps(alarm: Alarm): HTMLElement | null {
  const { advice_zh: zh = [], advice_en: en = [] } = alarm;
  if (zh.length === 0) return null;
  return element("ol", "steps", ...zh.map((step, index) => element("li", "", both(step, en[index] ?? ""))));
}

async function start(): Promise<void> {
  const answer = await fetch("config.json", { cache: "no-store" });
  const { mqtt, prefix } = (await answer.json()) as { mqtt: string; prefix: string };
  follow(mqtt, prefix, showWhatCanBeShown);
}

show({ state: {}, link: "connecting" });
start().catch((reason: unknown) => {
  part("notices").replaceChildren(element("div", "notice alarm", both("显示配置读取失败", `config.json: ${String(reason)}`)));
});
