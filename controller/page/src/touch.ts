// Buttons that decide something: one touch arms them, a second one within a few seconds sends the order.
// Where two people have to say the same, the second touch is on the name of who says it.
import { both, element } from "./elements";
import { send, type Answer } from "./orders";

const ARMED_MS = 4_000;
const NAMED_MS = 8_000;
const SAID_MS = 8_000;

export interface Order {
  verb: string;
  fields: Record<string, unknown>;
}

let armed = "";
let armedUntil = 0;
let busy = "";
let said: Answer | null = null;
let redraw: () => void = () => undefined;

export function whenTouched(draw: () => void): void {
  redraw = draw;
}

export function touchButton(className: string, zh: string, en: string, order: Order, people: string[] = []): HTMLElement {
  const key = JSON.stringify(order);
  const isNamed = people.length > 0;
  if (isNamed && (busy === key || (armed === key && performance.now() < armedUntil)))
    return nameButtons(className, both(zh, en), order, people);
  const isArmed = armed === key && performance.now() < armedUntil;
  const words = isArmed ? both("再点一次确认", "touch again to confirm") : null;
  const button = element("button", `${className}${isArmed ? " armed" : ""}${busy === key ? " busy" : ""}`, both(zh, en), words);
  button.setAttribute("type", "button");
  button.addEventListener("click", () => touched(key, order, isNamed ? NAMED_MS : ARMED_MS));
  return button;
}

// The order with the seats that may give it.
function nameButtons(className: string, words: HTMLElement, order: Order, people: string[]): HTMLElement {
  const key = JSON.stringify(order);
  const names = people.map((name, seat) => {
    const [place = name, player = ""] = name.split(" ", 2);
    const button = element("button", "sayer", element("span", "", place), element("span", "player", player));
    button.setAttribute("type", "button");
    button.addEventListener("click", () => {
      if (busy === "") sent(key, { ...order, fields: { ...order.fields, author: `seat ${seat + 1}` } });
    });
    return button;
  });
  const asked = both("谁说的？", "who says so?");
  return element("div", `${className} armed named${busy === key ? " busy" : ""}`, words, asked, element("span", "people", ...names));
}

function touched(key: string, order: Order, forMs: number): void {
  if (busy !== "") return;
  if (armed !== key || performance.now() >= armedUntil) {
    armed = key;
    armedUntil = performance.now() + forMs;
    setTimeout(redraw, forMs + 50);
    redraw();
    return;
  }
  sent(key, order);
}

// Takes the first touch back; false where there was none.
export function disarm(): boolean {
  if (armed === "" || performance.now() >= armedUntil) return false;
  armed = "";
  redraw();
  return true;
}

function sent(key: string, order: Order): void {
  armed = "";
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
  return element("div", said.done ? "notice said" : "notice refused", said.done ? "✓ " : "✗ ", both(said.zh, said.en));
}

// Changes whenever the buttons have to be drawn anew.
export function touchState(): string {
  return JSON.stringify([performance.now() < armedUntil ? armed : "", busy, said]);
}
