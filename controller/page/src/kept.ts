// What this browser remembers of how people like the page; a browser that keeps nothing begins anew each time.

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`longzhuo.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`longzhuo.${name}`, value);
  } catch {
    // It holds until the page is closed.
  }
}
