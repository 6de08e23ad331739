// Which of the things that people have to know or decide stands large; the others are one line each, to be opened.

const told = new Map<string, boolean>();
let version = 0;
let redraw: () => void = () => undefined;

export function whenFolded(draw: () => void): void {
  redraw = draw;
}

// The key of what stands large: the first that a person has opened, or that opens by itself and nobody has folded.
export function largest(items: readonly { key: string; opens: boolean }[]): string | null {
  for (const key of told.keys()) if (!items.some((item) => item.key === key)) told.delete(key);
  const opened = items.find((item) => told.get(item.key) === true);
  return (opened ?? items.find((item) => item.opens && told.get(item.key) !== false))?.key ?? null;
}

export function unfold(key: string): void {
  for (const other of told.keys()) if (told.get(other) === true) told.set(other, false);
  told.set(key, true);
  changed();
}

export function fold(key: string): void {
  told.set(key, false);
  changed();
}

function changed(): void {
  version += 1;
  redraw();
}

export function foldState(): number {
  return version;
}
