// Spares the screen: the picture moves by a few pixels each minute, and where nobody plays for ten minutes only a
// dim sign drifts over it until a touch, a key or news.
import { element } from "./elements";

const SHIFT_MS = 60_000;
const DRIFT_MS = 20_000;
export const IDLE_MS = 600_000;
// Where the picture stands, in px, one after the other; each is beside the one before.
const PLACES: readonly [number, number][] = [[0, 0], [3, 0], [3, 3], [0, 3], [-3, 3], [-3, 0], [-3, -3], [0, -3], [3, -3]];

let place = 0;
let sleeps: ReturnType<typeof setTimeout> | undefined;
let sleeper: HTMLElement | null = null;

export function spareTheScreen(): void {
  setInterval(shift, SHIFT_MS);
  setInterval(drift, DRIFT_MS);
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, wake, { capture: true });
  wake();
}

// Called by whatever people should see.
export function wake(event?: Event): void {
  clearTimeout(sleeps);
  sleeps = setTimeout(sleep, IDLE_MS);
  if (sleeper === null) return;
  sleeper.remove();
  sleeper = null;
  // The touch that wakes the screen is no touch of what lies below.
  event?.preventDefault();
  event?.stopPropagation();
}

function sleep(): void {
  sleeper = element("div", "saver", element("div", "saver-sign", "龙桌"));
  document.body.append(sleeper);
  drift();
}

function shift(): void {
  place = (place + 1) % PLACES.length;
  const [x, y] = PLACES[place] ?? [0, 0];
  document.getElementById("display")?.style.setProperty("translate", `${x}px ${y}px`);
}

function drift(): void {
  const sign = sleeper?.firstElementChild;
  if (!(sign instanceof HTMLElement)) return;
  sign.style.transform = `translate(${Math.random() * (innerWidth - sign.offsetWidth)}px, ${Math.random() * (innerHeight - sign.offsetHeight)}px)`;
}
