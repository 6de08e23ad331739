// What the screens for people who set up and referee are made of: large buttons, choices, numbers, texts.
import { both, element } from "./elements";
import { words } from "./language";

export type Words = readonly [string, string];

// A screen that draws itself: kept by the page as it is, drawn anew by its own touches only, so that neither
// what was typed nor the focus is lost when the table tells something.
export class Screen {
  readonly root = element("div", "screen");

  constructor(private readonly make: () => Node[]) {}

  draw(): void {
    const focused = document.activeElement;
    const key = focused instanceof HTMLElement && this.root.contains(focused) ? focused.dataset["key"] : undefined;
    this.root.replaceChildren(...this.make());
    if (key === undefined) return;
    this.find(key)?.focus({ preventScroll: true });
  }

  find(key: string): HTMLElement | undefined {
    return [...this.root.querySelectorAll<HTMLElement>("[data-key]")].find((each) => each.dataset["key"] === key);
  }
}

interface Pressable {
  pressed?: boolean;
  disabled?: boolean;
  extra?: Node[];
}

// A button; `key` finds it again after the screen was drawn anew.
export function press(key: string, className: string, told: Words, touched: () => void, more: Pressable = {}): HTMLElement {
  const button = element("button", className, both(told[0], told[1]), ...(more.extra ?? []));
  button.setAttribute("type", "button");
  button.dataset["key"] = key;
  if (more.pressed !== undefined) button.setAttribute("aria-pressed", String(more.pressed));
  if (more.disabled === true) button.setAttribute("disabled", "");
  button.addEventListener("click", touched);
  return button;
}

export interface Choice<T> {
  value: T;
  told: Words;
}

// One of several values, beside each other.
export function choose<T>(
  key: string,
  label: Words,
  choices: readonly Choice<T>[],
  chosen: T | null,
  taken: (value: T) => void,
  disabled = false,
): HTMLElement {
  const buttons = choices.map(({ value, told }, place) =>
    press(`${key}-${place}`, "segment", told, () => taken(value), { pressed: value === chosen, disabled }),
  );
  const group = element("div", "segments", ...buttons);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", words(label[0], label[1]));
  return group;
}

// A whole number with a step down and up; `typed` hears every change, the screen is not drawn anew for it.
export function number(
  key: string,
  label: Words,
  value: number,
  steps: readonly number[],
  typed: (value: number) => void,
  disabled = false,
): HTMLElement {
  const input = document.createElement("input");
  input.type = "text";
  input.inputMode = "numeric";
  input.className = "number";
  input.value = String(value);
  input.disabled = disabled;
  input.dataset["key"] = key;
  input.setAttribute("aria-label", words(label[0], label[1]));
  const read = (): number => Number.parseInt(input.value.replace("−", "-"), 10);
  input.addEventListener("input", () => {
    if (!Number.isNaN(read())) typed(read());
  });
  input.addEventListener("blur", () => {
    if (Number.isNaN(read())) input.value = "0";
    typed(read());
  });
  const step = (by: number): HTMLElement => {
    const told = by > 0 ? `+${by}` : `−${-by}`;
    return press(`${key}${told}`, "step", [told, ""], () => {
      const next = (Number.isNaN(read()) ? 0 : read()) + by;
      input.value = String(next);
      typed(next);
    }, { disabled });
  };
  const down = [...steps].reverse().map((by) => step(-by));
  return element("div", "stepper", ...down, input, ...steps.map((by) => step(by)));
}

// A line of text.
export function text(
  key: string,
  label: Words,
  value: string,
  longest: number,
  typed: (value: string) => void,
  disabled = false,
): HTMLElement {
  const input = document.createElement("input");
  input.type = "text";
  input.className = "text";
  input.maxLength = longest;
  input.value = value;
  input.disabled = disabled;
  input.autocomplete = "off";
  input.dataset["key"] = key;
  input.addEventListener("input", () => typed(input.value));
  return element("label", "field", both(label[0], label[1]), input);
}

export function heading(told: Words): HTMLElement {
  return element("h2", "part-title", both(told[0], told[1]));
}

export function note(className: string, told: Words): HTMLElement {
  return element("p", `note ${className}`, both(told[0], told[1]));
}

export const SEAT_WORDS: readonly Words[] = [
  ["一号位", "seat 1"],
  ["二号位", "seat 2"],
  ["三号位", "seat 3"],
  ["四号位", "seat 4"],
];

// The seats with the names of those who sit there.
export function seatChoices(players: readonly string[], without: number | null = null): Choice<number>[] {
  return SEAT_WORDS.map(([zh, en], value) => ({ value, told: [`${zh} ${players[value] ?? ""}`, en] as Words })).filter(
    ({ value }) => value !== without,
  );
}

export function signed(points: number): string {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}
