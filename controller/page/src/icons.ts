// Small signs beside words, drawn by us: no font has to have them.
import { shape } from "./elements";

export type Icon = "warning" | "question" | "pause" | "pencil" | "people" | "undo" | "offline" | "yes" | "no" | "open" | "shut";

const PATHS: Record<Icon, string> = {
  warning: "M12 3 L22.5 21 H1.5 Z M12 9 V14.5 M12 17.6 V18.2",
  question: "M7.5 8.5 C7.5 3 16.5 3 16.5 8.5 C16.5 12 12 12 12 15.5 M12 19.6 V20.2",
  pause: "M8 4 V20 M16 4 V20",
  pencil: "M4 20 L5 15.5 L16.5 4 L20 7.5 L8.5 19 Z M14 6.5 L17.5 10",
  people: "M4.5 7.5 a3.5 3.5 0 1 0 7 0 a3.5 3.5 0 1 0 -7 0 M1.5 20.5 C1.5 12.5 14.5 12.5 14.5 20.5 M15 5 a3.2 3.2 0 1 1 1 6 M17.5 14.2 C20.5 14.6 22.5 17 22.5 20.5",
  undo: "M9 5 L4 10 L9 15 M4 10 H14 C21 10 21 19 14 19 H11",
  offline: "M4 4 L20 20 M5 12 C8 9.4 10 8.8 12 8.8 M15.5 9.6 C17 10.2 18 11 19 12 M9 16 C11 14.6 13 14.6 15 16 M12 19.6 V20.2",
  yes: "M4 13 L10 19 L20 6",
  no: "M5 5 L19 19 M19 5 L5 19",
  open: "M5 9 L12 16 L19 9",
  shut: "M5 15 L12 8 L19 15",
};

export function icon(name: Icon): SVGElement {
  const svg = shape("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" });
  svg.append(shape("path", { d: PATHS[name] }));
  return svg;
}
