// What people have to know or decide: one thing stands large, the others in a line each, to be opened.
import { choiceWords, drawDoubt } from "./doubts";
import { both, element } from "./elements";
import { drawFault, drawLink, opensByItself } from "./faults";
import type { Link } from "./feed";
import { fold, largest, unfold } from "./folds";
import { icon, type Icon } from "./icons";
import { openedView } from "./navigation";
import { takesOrders } from "./orders";
import type { State } from "./payloads";
import { saidNotice, touchButton } from "./touch";

const LINK_WORDS: Record<Exclude<Link, "live">, [string, string]> = {
  connecting: ["正在连接…", "connecting"],
  resumed: ["连接已恢复，等待新数据", "connected again, nothing new told yet"],
  offline: ["控制器离线，所示为旧数据", "controller offline: what is shown is old"],
  stale: ["连接中断，所示为旧数据", "connection lost: what is shown is old"],
  refused: ["显示屏登录不了：用户名或密码不对", "the broker does not let the display in: wrong user or password"],
};

const FORMS: readonly string[] = ["setup", "referee"];

interface Item {
  key: string;
  kind: "link" | "alarm" | "doubt";
  // Whether it stands large without being opened.
  opens: boolean;
  icon: Icon;
  code: string;
  words: [string, string];
  large: (folding: HTMLElement) => HTMLElement;
}

export function drawNotices(state: State, link: Link): Node[] {
  const items = itemsOf(state, link);
  // Whoever fills in a form keeps it: there everything is a line until it is opened.
  const filling = FORMS.includes(openedView() ?? "");
  const large = largest(filling ? items.map((item) => ({ ...item, opens: false })) : items);
  const lines = items.filter((item) => item.key !== large).map(line);
  const shown = items.find((item) => item.key === large);
  const panel = shown === undefined ? null : shown.large(foldButton(shown.key, true));
  const all = [...lines, state.table?.paused ? pause() : null, state.table?.locked ? locked() : null, panel, saidNotice()];
  return all.filter((each) => each !== null);
}

function itemsOf(state: State, link: Link): Item[] {
  const { alarm, doubt, table } = state;
  const items: Item[] = [];
  if (link !== "live") {
    const words = LINK_WORDS[link];
    // Where nothing else can be shown, what to do stands large.
    const opens = link === "refused" && table === undefined;
    items.push({ key: `link ${link}`, kind: "link", opens, icon: "offline", code: "", words, large: (folding) => drawLink(link, words, folding) });
  }
  if (alarm?.active)
    items.push({
      key: `alarm ${alarm.code} ${alarm.since}`,
      kind: "alarm",
      opens: opensByItself(alarm, table?.phase),
      icon: "warning",
      code: alarm.code ?? "",
      words: [alarm.zh, alarm.en],
      large: (folding) => drawFault(alarm, folding),
    });
  for (const each of doubt?.doubts ?? [])
    items.push({
      key: `doubt ${each.id}`,
      kind: "doubt",
      opens: each.candidates.length > 0,
      icon: "question",
      code: "",
      words: choiceWords(each.zh)[1] === "" ? [each.zh, each.en] : [choiceWords(each.zh)[0], each.en],
      large: (folding) => drawDoubt(each, table?.players ?? [], folding),
    });
  return items;
}

function line(item: Item): HTMLElement {
  const code = item.code === "" ? null : element("b", "code", item.code);
  return element("div", `notice ${item.kind} line-of`, icon(item.icon), code, element("span", "told", both(...item.words)), foldButton(item.key, false));
}

function foldButton(key: string, isLarge: boolean): HTMLElement {
  const words = isLarge ? both("收起", "fold") : both("看怎么办", "what to do");
  const button = element("button", "fold", icon(isLarge ? "shut" : "open"), words);
  button.setAttribute("type", "button");
  button.setAttribute("aria-expanded", String(isLarge));
  button.dataset["key"] = `fold ${key}`;
  button.addEventListener("click", () => (isLarge ? fold(key) : unfold(key)));
  return button;
}

function locked(): HTMLElement {
  return element("div", "notice locked", icon("no"), both("已锁定：打完这一局不开新局", "locked: no other hand begins"));
}

function pause(): HTMLElement {
  return element(
    "div",
    "notice paused",
    icon("pause"),
    both("暂停中，桌上的动作不计", "paused: nothing counts"),
    takesOrders() ? touchButton("choice", "继续", "go on", { verb: "resume", fields: {} }) : null,
  );
}
