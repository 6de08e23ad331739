// Draws what keeps the table from playing: what it is, what to do step by step, and where, on the table from above.
import { both, element } from "./elements";
import type { Link } from "./feed";
import { icon } from "./icons";
import type { Alarm, Phase } from "./payloads";
import { drawPlace, placeCaption, placesOf, type Place } from "./places";

// While a hand is played only what ends play, or may hurt somebody, covers the table by itself.
const COVERS_PLAY: ReadonlySet<string> = new Set([
  "CAM-00", "CAM-01", "CAM-02", "CAM-03", "CAM-04", "CAM-05", "CAM-06", "CAM-07", "CAM-08",
  "EST-01", "HAT-03", "PWR-01", "PWR-04", "STP-00", "WAL-03",
]);
const PLAYING: readonly Phase[] = ["dealing", "playing"];

export function opensByItself(alarm: Alarm, phase: Phase | undefined): boolean {
  return phase === undefined || !PLAYING.includes(phase) || COVERS_PLAY.has(alarm.code ?? "");
}

export function drawFault(alarm: Alarm, folding: HTMLElement): HTMLElement {
  const code = alarm.code ?? "";
  const { advice_zh: zh = [], advice_en: en = [] } = alarm;
  const steps = zh.map((step, index): [string, string] => [step, en[index] ?? ""]);
  return panel("alarm", code, [alarm.zh, alarm.en], steps, placesOf(code), alarm.sides ?? [], folding);
}

const LINK_STEPS: Record<Exclude<Link, "live">, readonly [string, string][]> = {
  connecting: [
    ["等几秒，会自动连上", "wait some seconds; it connects by itself"],
    ["看看控制器开着没有、网线插紧没有", "see that the controller is on and its network cable is in"],
    ["还不行就请师傅来", "if that does not help, call the technician"],
  ],
  offline: [
    ["可以接着打牌，先自己记分", "you can play on; keep the points yourselves"],
    ["看看控制器的电源灯", "see whether the controller's lamp is lit"],
    ["来电后会自动接着来，牌局没有丢", "it goes on by itself then; the hand is not lost"],
    ["还不行就请师傅来", "if that does not help, call the technician"],
  ],
  resumed: [
    ["等几秒，会自动更新", "wait some seconds; it goes on by itself"],
    ["还不行就请师傅来", "if that does not help, call the technician"],
  ],
  stale: [
    ["可以接着打牌，所示的是旧数据", "you can play on; what is shown is old"],
    ["屏幕上的按钮照样能用", "the buttons on this screen still work"],
    ["看看网线、无线路由器", "see to the network cable and the router"],
    ["连上后会自动恢复", "it goes on by itself when the network is back"],
  ],
  refused: [
    ["可以接着打牌，屏幕上的按钮照样能用", "you can play on; the buttons on this screen still work"],
    ["请师傅查牌桌设置里显示屏的用户名和密码", "have the technician check the display's user and password: table.toml, [mqtt] websocket"],
    ["改好后会自动连上", "it connects by itself once they are right"],
  ],
};

export function drawLink(link: Exclude<Link, "live">, told: [string, string], folding: HTMLElement): HTMLElement {
  return panel("link", "", told, LINK_STEPS[link], [link === "offline" || link === "refused" ? "controller" : "broker"], [], folding);
}

function panel(
  kind: string,
  code: string,
  told: [string, string],
  steps: readonly [string, string][],
  places: readonly Place[],
  sides: readonly number[],
  folding: HTMLElement,
): HTMLElement {
  const items = steps.map(([zh, en]) => element("li", "", both(zh, en)));
  return element(
    "section",
    `notice ${kind} panel`,
    element("header", "asks", icon(kind === "alarm" ? "warning" : "offline"), code === "" ? null : element("b", "code", code), element("h2", "question", both(...told)), folding),
    element(
      "div",
      "fault-body",
      element("ol", `steps${items.length > 3 ? " long" : ""}`, ...items),
      element("figure", "where-it-is", drawPlace(places, sides), placeCaption(places, sides)),
    ),
  );
}
