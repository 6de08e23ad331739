// Which view a person has opened; without one the state of the table decides.

let opened: string | null = null;
let redraw: () => void = () => undefined;
let left: () => void = () => undefined;

export function openedView(): string | null {
  return opened;
}

// Opens a view by its name in VIEWS; null goes back to what the table shows by itself.
export function openView(name: string | null): void {
  if (opened !== null && opened !== name) left();
  opened = name;
  redraw();
}

// Goes back to what the table shows by itself; false where nobody has opened anything.
export function closeView(): boolean {
  if (opened === null) return false;
  openView(null);
  return true;
}

// `left` is called before another view than the opened one is shown.
export function whenLeft(leave: () => void): void {
  left = leave;
}

let askedBefore = "";

// What was opened for reading makes way as soon as the table asks for another view than it did.
export function leaveFor(asked: string, reading: readonly string[]): void {
  if (asked !== askedBefore && opened !== null && reading.includes(opened)) opened = null;
  askedBefore = asked;
}

export function whenOpened(draw: () => void): void {
  redraw = draw;
}
