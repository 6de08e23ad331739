// The display of one table: follows its state over MQTT and draws it; what people touch goes out over HTTP.
import { keepCounting } from "./countdown";
import { both, element } from "./elements";
import { follow, type Feed } from "./feed";
import { drawNotices } from "./notices";
import { takesOrders, useToken } from "./orders";
import type { Phase, State } from "./payloads";
import { drawSettlement } from "./settlement";
import { drawDragon, drawSeats } from "./table";
import { touchButton, touchState, whenTouched } from "./touch";

// The settlement stays up until the next hand is dealt: people read it while the table shuffles.
const SETTLEMENT_PHASES: readonly Phase[] = ["settled", "drawn", "hatch_open", "shuffling", "walls"];
function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no part ${id}`);
  return found;
}

function show({ state, link }: Feed): void {
  part("display").dataset["link"] = link;
  part("display").dataset["phase"] = state.table?.phase ?? "";
  part("dragon").replaceChildren(...drawDragon(state));
  const { alarm, doubt, table } = state;
  const running = [table?.phase, takesOrders(), touchState()];
  draw("notices", [link, alarm, doubt?.doubts, table?.paused, table?.players, running], () => drawNotices(state, link));
  draw("actions", running, () => undoButton(state));
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
    drawn.clear();
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

// Buttons must not be replaced under a finger: parts are drawn anew only when they show something else.
const drawn = new Map<string, string>();

function draw(id: string, signature: unknown, make: () => Node[]): void {
  const now = JSON.stringify(signature);
  if (drawn.get(id) === now) return;
  drawn.set(id, now);
  part(id).replaceChildren(...make());
}

function undoButton(state: State): Node[] {
  const running = state.table?.phase === "playing" || state.table?.phase === "dealing";
  if (!running || !takesOrders()) return [];
  return [touchButton("undo", "↶ 撤回上一步", "undo", { verb: "undo", fields: {} })];
}

async function start(): Promise<void> {
  const answer = await fetch("config.json", { cache: "no-store" });
  const { mqtt, prefix, token } = (await answer.json()) as { mqtt: string; prefix: string; token?: string };
  useToken(token);
  follow(mqtt, prefix, (feed) => {
    whenTouched(() => showWhatCanBeShown(feed));
    showWhatCanBeShown(feed);
  });
}

show({ state: {}, link: "connecting" });
keepCounting();
start().catch((reason: unknown) => {
  part("notices").replaceChildren(element("div", "notice alarm", both("显示配置读取失败", `config.json: ${String(reason)}`)));
});
