// Counts down until when somebody has to move. Times are the controller's: a tablet's own clock may be wrong.
import { element } from "./elements";
import type { Deadline } from "./payloads";

const TICK_MS = 250;

// How far the controller's clock is ahead of the page's, by the message that came here fastest.
let ahead: number | null = null;

export function hear(ts: unknown): void {
  const told = typeof ts === "string" ? Date.parse(ts) : NaN;
  if (Number.isNaN(told)) return;
  const now = told - performance.now();
  if (ahead === null || now > ahead) ahead = now;
}

// After a break it may be another controller, or one whose clock was set.
export function forgetClock(): void {
  ahead = null;
}

function secondsLeft(until: number): number {
  const now = ahead === null ? Date.now() : performance.now() + ahead;
  return Math.max(0, Math.ceil((until - now) / 1_000));
}

// The seconds left as an element that goes on counting by itself; null where no time runs.
export function countdown(deadline: Deadline | null | undefined, zh: string, en: string): HTMLElement | null {
  const until = Date.parse(deadline?.at ?? "");
  if (Number.isNaN(until)) return null;
  const made = element("div", "countdown", element("b", "seconds"), element("span", "zh", zh), element("span", "en", en));
  made.dataset["until"] = String(until);
  tick(made);
  return made;
}

function tick(shown: HTMLElement): void {
  const left = secondsLeft(Number(shown.dataset["until"]));
  const seconds = shown.querySelector(".seconds");
  if (seconds !== null) seconds.textContent = String(left);
  shown.classList.toggle("over", left === 0);
}

export function keepCounting(): void {
  setInterval(() => document.querySelectorAll<HTMLElement>(".countdown").forEach(tick), TICK_MS);
}
