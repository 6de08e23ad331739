// Buttons that decide something: one touch arms them, a second one within a few seconds sends the order.
// Where two people have to say the same, the second touch is on the name of who says it. The second touch of a choice
// is elsewhere than the first, in a place that is kept free for it: nothing moves under a finger.
import { both, element } from "./elements";
import { foldState } from "./folds";
import { icon } from "./icons";
import { keepingFocus } from "./keyboard";
import { send, type Answer } from "./orders";

const ARMED_MS = 4_000;
const CHOSEN_MS = 20_000;
const SAID_MS = 8_000;
// A finger that rests on a button holds what stands there for so long at most.
const HELD_MS = 3_000;
const LIFTED_MS = 60;
// So long buttons that have just come are deaf: the finger was meant for what stood there before.
const DEAF_MS = 400;

export interface Order {
  verb: string;
  fields: Record<string, unknown>;
}

interface Armed {
  key: string;
  order: Order;
  // The names of the seats, where one of them has to say who he is.
  people: readonly string[];
  words: [string, string];
  until: number;
}

let armed: Armed | null = null;
let busy = "";
let said: Answer | null = null;
let redraw: () => void = () => undefined;
let pressed: Element | null = null;
let heldUntil = 0;
let waits = false;
let wanted = "";

export function whenTouched(draw: () => void): void {
  redraw = draw;
}

function armedNow(): Armed | null {
  return armed !== null && performance.now() < armed.until ? armed : null;
}

export function touchButton(className: string, zh: string, en: string, order: Order): HTMLElement {
  const key = JSON.stringify(order);
  const isArmed = armedNow()?.key === key;
  const words = isArmed ? both("再点一次确认", "touch again to confirm") : null;
  const button = madeButton(className, key, isArmed, both(zh, en), words);
  button.addEventListener("click", () => {
    if (busy !== "") return;
    if (armedNow()?.key === key) sent(key, order);
    else arm({ key, order, people: [], words: [zh, en], until: performance.now() + ARMED_MS });
  });
  return button;
}

// One of several answers: a touch marks it, `confirmation` sends it.
export function choiceButton(className: string, words: [string, string], order: Order, people: readonly string[], ...content: (Node | null)[]): HTMLElement {
  const key = JSON.stringify(order);
  const isArmed = armedNow()?.key === key;
  const button = madeButton(className, key, isArmed, ...content);
  button.setAttribute("aria-pressed", String(isArmed));
  button.addEventListener("click", (event) => {
    if (busy !== "") return;
    if (armedNow()?.key === key && people.length === 0) {
      sent(key, order);
      return;
    }
    // Whoever chooses with the keyboard goes on to the confirmation.
    if (event.detail === 0) wanted = "confirm-0";
    arm({ key, order, people, words, until: performance.now() + CHOSEN_MS });
  });
  return button;
}

function madeButton(className: string, key: string, isArmed: boolean, ...content: (Node | null)[]): HTMLElement {
  const button = element("button", `${className}${isArmed ? " armed" : ""}${busy === key ? " busy" : ""}`, ...content);
  button.setAttribute("type", "button");
  button.dataset["key"] = key;
  return button;
}

// What the marked choice says and who says so; null while none of these orders is marked.
export function confirmation(belongs: (order: Order) => boolean): HTMLElement | null {
  const now = armedNow();
  if (now === null || !belongs(now.order)) return null;
  const { key, order, people, words } = now;
  const confirm = (index: number, author: string | null, ...content: Node[]): HTMLElement => {
    const button = element("button", author === null ? "sayer sure" : "sayer", ...content);
    button.setAttribute("type", "button");
    button.dataset["key"] = `confirm-${index}`;
    button.addEventListener("click", () => {
      if (busy === "") sent(key, author === null ? order : { ...order, fields: { ...order.fields, author } });
    });
    return button;
  };
  const cancel = element("button", "sayer never", both("不选了", "cancel"));
  cancel.setAttribute("type", "button");
  cancel.dataset["key"] = "cancel";
  cancel.addEventListener("click", disarm);
  const names = people.map((name, seat) => {
    const [place = name, player = ""] = name.split(" ", 2);
    return confirm(seat, `seat ${seat + 1}`, element("span", "seat-word", place), element("span", "player", player));
  });
  const asked = people.length > 0 ? both("谁说的？", "who says so?") : both("再点一次确认", "touch again to confirm");
  return element(
    "div",
    "confirming",
    element("p", "asked", element("b", "meant", both(...words)), asked),
    element("div", "people", ...(names.length > 0 ? names : [confirm(0, null, both("确认", "confirm"))]), cancel),
  );
}

function arm(next: Armed): void {
  armed = next;
  setTimeout(redraw, next.until - performance.now() + 50);
  redraw();
}

// Takes the first touch back; false where there was none.
export function disarm(): boolean {
  const now = armedNow();
  if (now === null) return false;
  // The focus goes back to where the first touch was.
  wanted = now.key;
  armed = null;
  redraw();
  return true;
}

function sent(key: string, order: Order): void {
  armed = null;
  busy = key;
  redraw();
  void send(order.verb, order.fields).then((answer) => {
    busy = "";
    said = answer;
    setTimeout(() => {
      if (said === answer) said = null;
      redraw();
    }, SAID_MS);
    redraw();
  });
}

// What the controller has answered, for a while.
export function saidNotice(): HTMLElement | null {
  if (said === null) return null;
  return element("div", said.done ? "notice said" : "notice refused", icon(said.done ? "yes" : "no"), both(said.zh, said.en));
}

// Changes whenever the buttons have to be drawn anew.
export function touchState(): string {
  return JSON.stringify([armedNow()?.key ?? "", busy, said, foldState()]);
}

// Buttons that stand where others stood a moment ago take no touch yet; keys find them at once.
export function deafAtFirst(buttons: readonly Element[]): void {
  const ignore = (event: Event): void => {
    if (event instanceof MouseEvent && event.detail > 0) event.stopImmediatePropagation();
  };
  for (const button of buttons) {
    button.setAttribute("aria-disabled", "true");
    button.addEventListener("click", ignore, { capture: true });
  }
  setTimeout(() => {
    for (const button of buttons) {
      button.removeAttribute("aria-disabled");
      button.removeEventListener("click", ignore, { capture: true });
    }
  }, DEAF_MS);
}

// Puts new contents into a part of the page, but not under a finger: then false, and it is drawn when he lifts it.
// Who was on a button with the keyboard stays on it, by its key or else its place.
export function replaced(part: HTMLElement, make: () => Node[]): boolean {
  if (pressed !== null && part.contains(pressed) && performance.now() < heldUntil) {
    waits = true;
    return false;
  }
  const active = document.activeElement;
  const key = active instanceof HTMLElement && part.contains(active) ? active.dataset["key"] : undefined;
  const nodes = make();
  keepingFocus(part, () => part.replaceChildren(...nodes));
  const next = wanted !== "" ? keyed(part, wanted) : null;
  if (next !== null) wanted = "";
  (next ?? (key === undefined ? null : keyed(part, key)))?.focus({ preventScroll: true });
  return true;
}

function keyed(part: HTMLElement, key: string): HTMLElement | null {
  const all = [...part.querySelectorAll<HTMLElement>("[data-key]")];
  return all.find((each) => each.dataset["key"] === key) ?? null;
}

function lifted(): void {
  setTimeout(() => {
    pressed = null;
    if (waits) redraw();
    waits = false;
  }, LIFTED_MS);
}

export function watchFingers(): void {
  document.addEventListener("pointerdown", (event) => {
    pressed = event.target instanceof Element ? event.target.closest("button") : null;
    heldUntil = performance.now() + HELD_MS;
    if (pressed !== null)
      setTimeout(() => {
        if (waits) redraw();
      }, HELD_MS + LIFTED_MS);
  });
  for (const name of ["pointerup", "pointercancel"] as const) document.addEventListener(name, lifted);
}
