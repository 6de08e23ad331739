// Use without a finger: the focus stays where it was when a part is drawn anew, and Escape takes back.

const CONTROLS = "button, a[href], input, select, textarea, [tabindex]";

// Draws a part anew; the focus goes to the control that stands where the one that had it stood.
export function keepingFocus(part: HTMLElement, draw: () => void): void {
  const focused = document.activeElement;
  const place = focused instanceof HTMLElement && part.contains(focused) ? controls(part).indexOf(focused) : -1;
  draw();
  if (place < 0) return;
  const now = controls(part);
  now[Math.min(place, now.length - 1)]?.focus({ preventScroll: true });
}

function controls(part: HTMLElement): HTMLElement[] {
  return [...part.querySelectorAll<HTMLElement>(CONTROLS)];
}

// What Escape does, tried in this order until one says that it had something to take back.
export function whenEscaped(...takeBack: (() => boolean)[]): void {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) takeBack.some((each) => each());
  });
}
