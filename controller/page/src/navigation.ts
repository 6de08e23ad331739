// Which view a person has opened; without one the state of the table decides.

let opened: string | null = null;
let redraw: () => void = () => undefined;

export function openedView(): string | null {
  return opened;
}

// Opens a view by its name in VIEWS; null goes back to what the table shows by itself.
export function openView(name: string | null): void {
  opened = name;
  redraw();
}

export function whenOpened(draw: () => void): void {
  redraw = draw;
}
