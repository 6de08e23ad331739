// A keyboard of tiles, and the tiles that were picked on it.
import { element } from "./elements";
import { note, type Words } from "./forms";
import { words } from "./language";
import { drawTile, tileName } from "./tiles";

const ROWS: readonly (readonly string[])[] = [
  ...["m", "p", "s"].map((suit) => [..."123456789"].map((rank) => `${rank}${suit}`)),
  [..."ESWNCFP"],
];
const ALL: readonly string[] = ROWS.flat();
export const COPIES = 4;

// Tiles in the order in which people lay them: suits, then honours.
export function sorted(tiles: readonly string[]): string[] {
  return [...tiles].sort((one, other) => ALL.indexOf(one) - ALL.indexOf(other));
}

// `left` says how many more of a tile may be picked; one with none can't be touched.
export function tileKeys(key: string, left: (tile: string) => number, picked: (tile: string) => void): HTMLElement {
  const rows = ROWS.map((row) => element("div", "tile-row", ...row.map((tile) => tileKey(`${key}-${tile}`, tile, left(tile) > 0, picked))));
  return element("div", "tile-keys", ...rows);
}

function tileKey(key: string, tile: string, enabled: boolean, picked: (tile: string) => void): HTMLElement {
  const button = element("button", "tile-key", drawTile(tile));
  button.setAttribute("type", "button");
  button.dataset["key"] = key;
  button.dataset["pick"] = tile;
  if (!enabled) button.setAttribute("disabled", "");
  button.addEventListener("click", () => picked(tile));
  return button;
}

// The tiles that were picked; a touch takes one back.
export function pickedTiles(key: string, tiles: readonly string[], empty: Words, removed: (place: number) => void): HTMLElement {
  if (tiles.length === 0) return note("picked-none", empty);
  const buttons = tiles.map((tile, place) => {
    const button = element("button", "tile-key picked", drawTile(tile));
    button.setAttribute("type", "button");
    button.title = words(`拿掉${tileName(tile)}`, `take ${tile} away`);
    button.dataset["key"] = `${key}-${place}`;
    button.addEventListener("click", () => removed(place));
    return button;
  });
  return element("div", "picked-tiles", ...buttons);
}
