// The referee's PIN: asked for on a pad, kept in this page's memory for two minutes and nowhere else.
import { both, element } from "./elements";
import { press, type Words } from "./forms";
import { words } from "./language";

const KEPT_MS = 120_000;
const SHORTEST = 4;
const LONGEST = 12;

let pin = "";
let keptUntil = 0;

// The PIN that was typed in within the last two minutes, empty where there is none.
export function keptPin(): string {
  if (performance.now() >= keptUntil) pin = "";
  return pin;
}

export function keepPin(typed: string): void {
  pin = typed;
  keptUntil = performance.now() + KEPT_MS;
  setTimeout(keptPin, KEPT_MS + 50);
}

export function forgetPin(): void {
  pin = "";
  keptUntil = 0;
}

addEventListener("pagehide", forgetPin);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) forgetPin();
});

// Asks for the PIN on a pad over the page; null where the person gives up. `why` is what was wrong before.
export function askPin(why: Words | null = null): Promise<string | null> {
  return new Promise((answered) => {
    const before = document.activeElement;
    let typed = "";
    const shown = element("output", "pin-shown");
    const end = (given: string | null): void => {
      veil.remove();
      if (before instanceof HTMLElement) before.focus();
      answered(given);
    };
    const show = (): void => {
      shown.replaceChildren("●".repeat(typed.length) || "—");
      shown.setAttribute("aria-label", words(`已输入${typed.length}位`, `${typed.length} digits`));
      ok.toggleAttribute("disabled", typed.length < SHORTEST);
    };
    const digit = (value: string): void => {
      if (typed.length < LONGEST) typed += value;
      show();
    };
    const back = (): void => {
      typed = typed.slice(0, -1);
      show();
    };
    const ok = press("pin-ok", "pin-key pin-ok", ["确定", "OK"], () => end(typed));
    const keys = [..."123456789"].map((value) => press(`pin-${value}`, "pin-key", [value, ""], () => digit(value)));
    const last = [
      press("pin-back", "pin-key", ["← 退格", "back"], back),
      press("pin-0", "pin-key", ["0", ""], () => digit("0")),
      ok,
    ];
    const title = element("h2", "part-title", both("裁判PIN", "the referee's PIN"));
    const wrong = why === null ? null : element("p", "note refused", both(why[0], why[1]));
    const pad = element("div", "pin-pad", title, wrong, shown, element("div", "pin-keys", ...keys, ...last));
    pad.append(press("pin-cancel", "wide quiet", ["取消", "cancel"], () => end(null)));
    pad.setAttribute("role", "dialog");
    pad.setAttribute("aria-modal", "true");
    pad.setAttribute("aria-label", words("裁判PIN", "the referee's PIN"));
    const veil = element("div", "veil", pad);
    veil.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (/^[0-9]$/.test(event.key)) digit(event.key);
      else if (event.key === "Backspace") back();
      else if (event.key === "Escape") end(null);
      else if (event.key === "Tab") stayWithin(event, pad);
      else if (event.key === "Enter" && typed.length >= SHORTEST) end(typed);
      else return;
      event.preventDefault();
    });
    document.body.append(veil);
    show();
    keys[0]?.focus();
  });
}

// The tab key goes round within the dialog.
function stayWithin(event: KeyboardEvent, dialog: HTMLElement): void {
  const stops = [...dialog.querySelectorAll<HTMLElement>("button:not([disabled])")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[(at + (event.shiftKey ? stops.length - 1 : 1)) % stops.length]?.focus();
}
