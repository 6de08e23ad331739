// The screen where a match is set up: rule set, stake, options with explanations, names, start.
import { both, element } from "./elements";
import { choose, heading, note, number, press, Screen, SEAT_WORDS, text, type Words } from "./forms";
import { openView } from "./navigation";
import { send, type Answer } from "./orders";
import { order } from "./referee_orders";
import { read, type OptionSheet, type RuleSheet, type SetupSheet, type Told, type Value } from "./sheets";

const STAKE = "stake";
const LONGEST_NAME = 12;

let sheet: SetupSheet | null = null;
let rules = "";
let options: Record<string, Value> = {};
let players: string[] = [];
let said: Answer | null = null;
let busy = false;

const screen = new Screen(drawn);

export function setupScreen(): Node[] {
  return [screen.root];
}

export async function openSetup(): Promise<void> {
  said = null;
  sheet = null;
  openView("setup");
  screen.draw();
  await refresh();
}

async function refresh(): Promise<void> {
  sheet = await read<SetupSheet>("setup");
  if (sheet !== null) {
    rules = sheet.chosen;
    options = { ...sheet.options };
    players = [...sheet.players];
  }
  screen.draw();
}

function chosenRules(): RuleSheet | undefined {
  return sheet?.rules.find((each) => each.name === rules);
}

function drawn(): Node[] {
  const close = press("close", "quiet", ["‹ 返回", "back"], () => openView(null));
  if (sheet === null) return [head(close), note("", ["正在读取…", "loading…"])];
  const fixed = sheet.why_not_setup;
  return [
    head(close),
    ...(fixed === null ? [] : [banner(fixed, ["现在不能改规则：", "the rules can't be changed now: "])]),
    element("div", "screen-body", rulesPart(fixed !== null), tablePart(fixed !== null), optionsPart(fixed !== null)),
    footer(fixed !== null),
  ];
}

function head(close: Node): HTMLElement {
  const match = sheet === null ? "" : ` · 第${sheet.match_no}场 match ${sheet.match_no}`;
  return element("header", "screen-head", close, element("h1", "", both("开局设置", "set up the match"), match));
}

function banner(told: Told, before: Words): HTMLElement {
  return note("banner", [`${before[0]}${told.zh}`, `${before[1]}${told.en}`]);
}

function rulesPart(fixed: boolean): HTMLElement {
  const cards = (sheet?.rules ?? []).map((each) => {
    const about = element("span", "about", both(each.about.zh, each.about.en));
    const why = each.why === null ? [] : [element("span", "about refused", both(each.why.zh, each.why.en))];
    return press(`rules-${each.name}`, "card", [each.zh, each.en], () => chooseRules(each), {
      pressed: each.name === rules,
      disabled: fixed || each.why !== null,
      extra: [about, ...why],
    });
  });
  return element("section", "part", heading(["规则", "rules"]), element("div", "cards", ...cards));
}

// Another rule set begins with its own options; the stake stays, as it is what people have agreed on.
function chooseRules(wished: RuleSheet): void {
  if (wished.name === rules) return;
  const stake = options[STAKE];
  rules = wished.name;
  const present = wished.name === sheet?.chosen ? sheet.options : null;
  options = present === null ? defaults(wished) : { ...present };
  if (stake !== undefined && STAKE in options) options[STAKE] = stake;
  screen.draw();
}

function defaults(of: RuleSheet): Record<string, Value> {
  return Object.fromEntries(of.options.map((option) => [option.name, option.default]));
}

function tablePart(fixed: boolean): HTMLElement {
  const names = SEAT_WORDS.map((label, seat) =>
    text(`name-${seat}`, label, players[seat] ?? "", LONGEST_NAME, (typed) => {
      players[seat] = typed;
    }),
  );
  const stake = chosenRules()?.options.find((option) => option.name === STAKE);
  const parts = [heading(["四家", "players"]), element("div", "names", ...names)];
  if (stake !== undefined) parts.push(optionRow(stake, fixed, [1, 10]));
  return element("section", "part", ...parts);
}

function optionsPart(fixed: boolean): HTMLElement {
  const found = chosenRules();
  const rows = (found?.options ?? []).filter((option) => option.name !== STAKE).map((option) => optionRow(option, fixed, [1, 50]));
  const back = press("defaults", "quiet", ["全部恢复默认", "all as usual"], () => {
    if (found === undefined) return;
    options = { ...defaults(found), ...(STAKE in options ? { [STAKE]: options[STAKE] as Value } : {}) };
    screen.draw();
  }, { disabled: fixed });
  const title = element("div", "part-head", heading(["选项", "options"]), back);
  return element("section", "part options", title, ...rows);
}

function optionRow(option: OptionSheet, fixed: boolean, steps: readonly number[]): HTMLElement {
  const label: Words = [option.zh, option.en];
  const value = options[option.name] ?? option.default;
  const control =
    option.values.length === 0
      ? number(`option-${option.name}`, label, Number(value), steps, (typed) => {
          options[option.name] = typed;
          mark();
        }, fixed)
      : choose(
          `option-${option.name}`,
          label,
          option.values.map((each, place) => {
            const meaning = option.meanings[place];
            return { value: each, told: [meaning?.zh ?? String(each), meaning?.en ?? ""] as Words };
          }),
          value,
          (taken) => {
            options[option.name] = taken;
            screen.draw();
          },
          fixed,
        );
  const changed = element("span", "changed", both("已改", "changed"));
  const title = element("div", "option-title", both(option.zh, option.en), element("span", "article", option.article), changed);
  const row = element("div", "option", title, control, element("p", "about", both(option.about.zh, option.about.en)));
  row.dataset["option"] = option.name;
  const mark = (): void => {
    changed.hidden = options[option.name] === option.default;
  };
  mark();
  return row;
}

function footer(fixed: boolean): HTMLElement {
  const why = sheet?.why_not_start ?? null;
  const begins = sheet?.start ?? null;
  const starting = why === null ? begins : why;
  const parts: Node[] = [];
  if (said !== null) parts.push(note(said.done ? "said" : "refused", [said.zh, said.en]));
  else if (starting !== null) parts.push(note("", why === null ? [`开始：${starting.zh}`, `start: ${starting.en}`] : [starting.zh, starting.en]));
  const save = press("save", "wide", ["保存", "save"], () => void carryOut(false), { disabled: busy });
  const start = press("start", "wide strong", fixed ? ["开始", "start"] : ["保存并开始", "save and start"], () => void carryOut(true), {
    disabled: busy || why !== null,
  });
  return element("footer", "screen-foot", ...parts, element("div", "foot-buttons", save, start));
}

// What differs from the defaults, as the order wants it.
function chosenOptions(): Record<string, Value> {
  const found = chosenRules();
  const differing = (found?.options ?? []).filter((option) => options[option.name] !== option.default);
  return Object.fromEntries(differing.map((option) => [option.name, options[option.name] as Value]));
}

function rulesChanged(): boolean {
  if (sheet === null || sheet.why_not_setup !== null) return false;
  const present = sheet.options;
  return rules !== sheet.chosen || Object.keys(options).some((name) => options[name] !== present[name]);
}

async function carryOut(start: boolean): Promise<void> {
  busy = true;
  screen.draw();
  const names = players.map((name) => name.trim());
  const named = sheet !== null && names.some((name, seat) => name !== sheet?.players[seat]);
  let answer: Answer | null = null;
  if (rulesChanged()) {
    answer = await order({ verb: "setup", fields: { rules, options: chosenOptions(), ...(named ? { players: names } : {}) } });
  } else if (named) answer = await order({ verb: "names", fields: { players: names } });
  if (start && (answer === null || answer.done)) answer = await send("start", {});
  busy = false;
  said = answer ?? { done: true, zh: "没有改动", en: "nothing was changed" };
  if (said.done) await refresh();
  else screen.draw();
  if (start && said.done) openView(null);
}
