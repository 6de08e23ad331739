// The display of one table: follows its state over MQTT and draws it; what people touch goes out over HTTP.
import { keepCounting } from "./countdown";
import { both, element } from "./elements";
import { turnUp } from "./effects";
import { follow, type Config, type Feed } from "./feed";
import { whenFolded } from "./folds";
import { whenEscaped } from "./keyboard";
import { language, useLanguage } from "./language";
import { closeView, leaveFor, openedView, whenLeft, whenOpened } from "./navigation";
import { newsOf } from "./news";
import { drawNotices } from "./notices";
import { askTokenBy, takesOrders, useToken } from "./orders";
import type { Phase, State } from "./payloads";
import { asksForRanking, drawRanking } from "./ranking";
import { leaveReferee, refereeIsTold, refereeScreen } from "./referee";
import { spareTheScreen, wake } from "./saver";
import { drawSettlement } from "./settlement";
import { setupScreen } from "./setup";
import { howLoud, sound } from "./sounds";
import { drawTable } from "./table";
import { defineTiles } from "./tiles";
import { drawTools } from "./tools";
import { disarm, replaced, touchButton, touchState, watchFingers, whenTouched } from "./touch";
import { trusted, type Unreadable } from "./trusted";
import { isTurned } from "./turned";

interface View {
  name: string;
  // Whether the table's state asks for it; the first such view in the list is shown where nobody has opened another.
  asked: (state: State) => boolean;
  draw: (state: State) => Node[];
  // The topics that it draws: it is drawn anew only when one of them (but for its stamps) or a touch has changed.
  topics: readonly (keyof State)[];
  // Whether it shows what the feed told, and so is greyed while that is old.
  aged: boolean;
  // Whether it draws itself, so that nothing that was typed there is lost.
  own?: boolean;
}

// The settlement stays up until the next hand is dealt: people read it while the table shuffles.
const SETTLEMENT_PHASES: readonly Phase[] = ["settled", "drawn", "hatch_open", "shuffling", "walls"];

const VIEWS: readonly View[] = [
  { name: "ranking", asked: asksForRanking, draw: drawRanking, topics: ["table", "scores", "ranking", "settlement"], aged: true },
  {
    name: "settlement",
    asked: ({ table, settlement }) =>
      table !== undefined && settlement !== undefined && SETTLEMENT_PHASES.includes(table.phase),
    draw: (state) => (state.settlement === undefined ? [] : drawSettlement(state, state.settlement)),
    topics: ["table", "settlement", "ranking", "corrections"],
    aged: true,
  },
  { name: "table", asked: () => true, draw: drawTable, topics: ["table", "scores", "hand", "doubt"], aged: true },
  { name: "setup", asked: () => false, draw: setupScreen, topics: [], aged: false, own: true },
  { name: "referee", asked: () => false, draw: refereeScreen, topics: [], aged: false, own: true },
];

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no part ${id}`);
  return found;
}

function show({ state, link, old }: Feed): void {
  part("display").dataset["link"] = link;
  part("display").dataset["old"] = old.join(" ");
  part("display").dataset["phase"] = state.table?.phase ?? "";
  const { alarm, doubt, table } = state;
  const running = [table?.phase, takesOrders(), touchState(), language(), isTurned(), howLoud(), openedView()];
  draw("notices", [link, old, alarm, doubt?.doubts, table?.paused, table?.locked, table?.players, running], () => [
    ...oldWords(link, old),
    ...drawNotices(state, link),
  ]);
  draw("actions", running, () => undoButton(state));
  draw("tools", running, () => drawTools(redrawAll));
  const asked = VIEWS.find((each) => each.asked(state));
  leaveFor(asked?.name ?? "", ["ranking", "settlement"]);
  const view = VIEWS.find((each) => each.name === openedView()) ?? asked;
  if (view === undefined) return;
  part("display").dataset["view"] = view.name;
  for (const each of VIEWS) part(each.name).hidden = each !== view;
  draw(view.name, view.own === true ? "" : [view.topics.map((topic) => unstamped(state[topic])), running], () => view.draw(state));
}

// What a payload tells, without which message told it.
function unstamped(payload: object | undefined): unknown {
  return payload === undefined ? null : { ...payload, boot: 0, seq: 0, ts: "" };
}

// A payload of another shape than agreed must not stop the page: the rest goes on and the parts that failed say so.
function showWhatCanBeShown(feed: Feed): void {
  const { state, unreadable } = trusted(feed.state);
  draw("unreadable", [unreadable, language()], () => unreadable.map(unreadableNotice));
  try {
    show({ ...feed, state });
  } catch (reason) {
    console.error(reason);
    drawn.clear();
    part("notices").replaceChildren(
      element("div", "notice alarm", both("收到的数据有误，无法显示", "a message has another shape than agreed")),
    );
  }
}

const NEWER = ["数据版本不同，请刷新页面", "another version is told, please load the page again"] as const;
const UNREADABLE = ["收到的数据有误，不予显示", "a message has another shape than agreed and is not shown"] as const;

function unreadableNotice({ topic, newer }: Unreadable): HTMLElement {
  const [zh, en] = newer ? NEWER : UNREADABLE;
  return element("div", "notice alarm", both(`${zh}（${topic}）`, `${en} (${topic})`));
}

// Buttons must not be replaced under a finger: parts are drawn anew only when they show something else.
const drawn = new Map<string, string>();

function draw(id: string, signature: unknown, make: () => Node[]): void {
  const now = JSON.stringify(signature);
  if (drawn.get(id) !== now && replaced(part(id), make)) drawn.set(id, now);
}

function undoButton(state: State): Node[] {
  const running = state.table?.phase === "playing" || state.table?.phase === "dealing";
  if (!running || !takesOrders()) return [];
  return [touchButton("undo", "撤回上一步", "undo", { verb: "undo", fields: {} })];
}

// After a break some of what is shown may not have been told again.
const PARTS: Partial<Record<Feed["old"][number], [string, string]>> = {
  scores: ["点数", "points"],
  hand: ["牌面", "tiles"],
  settlement: ["结算", "settlement"],
  doubt: ["疑问", "doubts"],
  alarm: ["故障", "faults"],
};

function oldWords(link: Feed["link"], old: Feed["old"]): Node[] {
  const named = old.flatMap((topic) => PARTS[topic] ?? []);
  if (link !== "live" || named.length === 0) return [];
  const [zh, en] = [0, 1].map((which) => named.filter((_, index) => index % 2 === which).join(which === 0 ? "、" : ", "));
  return [element("div", "notice link", both(`${zh ?? ""}尚未更新，所示为旧数据`, `not told again yet: ${en ?? ""}`))];
}

let redrawAll: () => void = () => undefined;
let before: State = {};

// What came live is heard and seen; what the broker remembered is only shown.
function announce(feed: Feed): void {
  const was = before;
  before = { ...feed.state };
  if (isPlay(was, feed.state)) wake();
  if (feed.news === null) return;
  try {
    for (const news of newsOf(was, feed.state, feed.news)) {
      sound(news);
      if (news.kind === "dragon") turnUp(news.indicator, news.dragon);
    }
  } catch (reason) {
    // A payload of another shape is told of where it is shown; here nothing can be said of it.
    console.warn(reason);
  }
}

// Whether people should look: anything but the heartbeat.
function isPlay(was: State, now: State): boolean {
  const seen = ({ table, hand, settlement, doubt, alarm }: State): string =>
    JSON.stringify([table?.phase, ...[hand, settlement, doubt, alarm].map(unstamped)]);
  return seen(was) !== seen(now);
}

async function configured(): Promise<Config> {
  const answer = await fetch("config.json", { cache: "no-store" });
  const config = (await answer.json()) as Config;
  useToken(config.token, config.pin, config.referee);
  return config;
}

async function start(): Promise<void> {
  askTokenBy(configured);
  follow(await configured(), configured, (feed) => {
    redrawAll = () => showWhatCanBeShown(feed);
    whenTouched(redrawAll);
    whenOpened(redrawAll);
    whenFolded(redrawAll);
    showWhatCanBeShown(feed);
    announce({ ...feed, state: trusted(feed.state).state });
    const { table } = feed.state;
    refereeIsTold(JSON.stringify([table?.paused, table?.locked, table?.phase, table?.hand_no]));
  });
}

useLanguage();
const unreadable = element("div", "");
unreadable.id = "unreadable";
part("notices").after(unreadable);
whenLeft(leaveReferee);
defineTiles();
for (const view of VIEWS) {
  const section = element("section", view.aged ? "view aged" : "view");
  section.id = view.name;
  part("views").append(section);
}
show({ state: {}, link: "connecting", old: [], news: null });
keepCounting();
spareTheScreen();
whenEscaped(disarm, closeView);
watchFingers();
start().catch((reason: unknown) => {
  part("notices").replaceChildren(element("div", "notice alarm", both("显示配置读取失败", `config.json: ${String(reason)}`)));
});
