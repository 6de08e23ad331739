// The referee's screen: what he may do, each with its own part; nothing that moves points is done without a look.
import { both, element } from "./elements";
import { heading, note, press, Screen, text, type Words } from "./forms";
import { openedView, openView } from "./navigation";
import { needsPin } from "./orders";
import { forgetPin } from "./pin";
import { drawAdjust, forgetAdjustment } from "./referee_adjust";
import { drawCorrect, forgetCorrection } from "./referee_correct";
import { consider, drawSaid, drawTrial, forgetTrial, giveNow, isBusy, isTrying, whenTried } from "./referee_trial";
import { drawWin, forgetWin, winFields, winIsTold } from "./referee_win";
import { read, type HandsSheet } from "./sheets";

type Part = "menu" | "abandon" | "enter" | "correct" | "adjust";

const LONGEST_REASON = 200;
const REASONS: readonly Words[] = [
  ["牌翻倒了", "tiles fell over"],
  ["多牌少牌", "a tile too many or too few"],
  ["机器故障", "the machine failed"],
];

let part: Part = "menu";
let sheet: HandsSheet | null = null;
let reason = "";
let told = "";

const screen = new Screen(drawn);
const redraw = (): void => screen.draw();

export function refereeScreen(): Node[] {
  return [screen.root];
}

export async function openReferee(): Promise<void> {
  forgetAll();
  part = "menu";
  sheet = null;
  whenTried(redraw, () => {
    forgetForms();
    part = "menu";
    void refresh();
  });
  openView("referee");
  redraw();
  await refresh();
}

// What was typed and the PIN stay no longer than the screen.
export function leaveReferee(): void {
  forgetAll();
  forgetPin();
}

// The table tells something else than before (`now`): what may be done is asked for anew.
export function refereeIsTold(now: string): void {
  if (now === told) return;
  told = now;
  if (openedView() === "referee" && part === "menu") void refresh();
}

function forgetAll(): void {
  forgetForms();
  forgetTrial();
}

function forgetForms(): void {
  reason = "";
  forgetWin();
  forgetCorrection();
  forgetAdjustment();
}

async function refresh(): Promise<void> {
  sheet = await read<HandsSheet>("hands");
  redraw();
}

function close(): void {
  leaveReferee();
  openView(null);
}

function open(wished: Part): void {
  part = wished;
  forgetAll();
  redraw();
}

function drawn(): Node[] {
  const back =
    part === "menu"
      ? press("close", "quiet", needsPin("correct") ? ["‹ 锁上并返回", "lock and back"] : ["‹ 返回", "back"], close)
      : press("menu", "quiet", ["‹ 裁判", "referee"], () => open("menu"));
  const head = element("header", "screen-head", back, element("h1", "", both(...TITLES[part])));
  if (sheet === null) return [head, note("", ["正在读取…", "loading…"]), ...drawSaid()];
  if (isTrying()) return [head, element("div", "screen-body", ...drawTrial(sheet.players))];
  return [head, element("div", "screen-body", ...PARTS[part](sheet)), ...drawSaid()];
}

const TITLES: Record<Part, Words> = {
  menu: ["裁判", "referee"],
  abandon: ["放弃这一局", "abandon the hand"],
  enter: ["记入结果", "enter a result"],
  correct: ["更正一局", "correct a hand"],
  adjust: ["调整分数", "move points"],
};

const PARTS: Record<Part, (known: HandsSheet) => Node[]> = {
  menu: drawMenu,
  abandon: drawAbandon,
  enter: drawEnter,
  correct: (known) => drawCorrect(known, redraw),
  adjust: drawAdjust,
};

interface Item {
  key: string;
  told: Words;
  about: Words;
  touched: () => void;
  disabled?: boolean;
}

function drawMenu(known: HandsSheet): Node[] {
  const items: Item[] = [
    known.paused
      ? { key: "resume", told: ["▶ 继续", "resume"], about: ["桌上的动作重新算数", "what happens counts again"], touched: () => void giveNow({ verb: "resume", fields: {} }) }
      : { key: "pause", told: ["‖ 暂停", "pause"], about: ["暂停时桌上的动作不算", "nothing counts meanwhile"], touched: () => void giveNow({ verb: "pause", fields: {} }) },
    { key: "undo", told: ["← 撤回上一步", "undo"], about: ["这一局最后一件事没有发生", "the last event did not happen"], touched: () => void consider({ verb: "undo", fields: {} }), disabled: !known.playing },
    { key: "enter", told: ["✓ 记入结果", "enter a result"], about: ["没看清的一局，由人说谁胡", "a hand that was not followed: who won"], touched: () => open("enter"), disabled: !known.playing },
    { key: "correct", told: ["✓ 更正一局", "correct a hand"], about: ["改记录里的一条或结果，重新结算", "another event or result, settled anew"], touched: () => open("correct"), disabled: known.hands.length === 0 },
    { key: "adjust", told: ["± 调整分数", "move points"], about: ["各家之间移分，合计为零", "between the seats, summing to zero"], touched: () => open("adjust") },
    { key: "abandon", told: ["× 放弃这一局", "abandon the hand"], about: ["没人付分，原庄重来", "nobody pays, the same dealer again"], touched: () => open("abandon"), disabled: !known.playing },
    known.locked
      ? { key: "unlock", told: ["解锁", "unlock"], about: ["可以开新的一局", "hands begin again"], touched: () => void giveNow({ verb: "unlock", fields: {} }) }
      : { key: "lock", told: ["锁定牌桌", "lock the table"], about: ["打完这一局，不开新局", "no other hand begins"], touched: () => void giveNow({ verb: "lock", fields: {} }) },
    { key: "next", told: ["■ 结束这一场", "end the match"], about: ["排名后开新的一场", "ranking, then a new match"], touched: () => void consider({ verb: "next_match", fields: {} }), disabled: known.playing },
  ];
  const cards = items.map((item) =>
    press(item.key, "card", item.told, item.touched, {
      disabled: item.disabled === true || isBusy(),
      extra: [element("span", "about", both(item.about[0], item.about[1]))],
    }),
  );
  return [element("div", "cards menu", ...cards)];
}

function drawAbandon(): Node[] {
  const go = press("abandon-go", "wide strong", ["看结果", "see what it does"], () => void consider({ verb: "abandon", fields: { reason: reason.trim() } }), {
    disabled: isBusy() || reason.trim() === "",
  });
  const field = text("reason", ["原因", "reason"], reason, LONGEST_REASON, (typed) => {
    reason = typed;
    go.toggleAttribute("disabled", reason.trim() === "" || isBusy());
  });
  const common = REASONS.map((told, place) =>
    press(`reason-${place}`, "segment", told, () => {
      reason = told[0];
      redraw();
    }, { pressed: reason === told[0] }),
  );
  return [heading(["为什么放弃", "why"]), element("div", "segments", ...common), field, element("div", "foot-buttons", go)];
}

function drawEnter(known: HandsSheet): Node[] {
  const go = press("enter-go", "wide strong", ["看结果", "see what it does"], () => void consider({ verb: "enter", fields: winFields() }), {
    disabled: isBusy() || !winIsTold(),
  });
  return [...drawWin(known, known.indicator === null, redraw), element("div", "foot-buttons", go)];
}
