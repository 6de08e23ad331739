// The turning-up of the indicator: a card turns over in the middle, then the 龙 flies to the upper left. Only
// transform and opacity move, on a layer above the page: what the page tells is there from the first moment.
import { element } from "./elements";
import { drawTile, tileNames } from "./tiles";

const TURN_MS = 900;
const STAY_MS = 700;
const FLY_MS = 800;

let running: HTMLElement | null = null;

export function turnUp(indicator: string, dragon: string | null): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState !== "visible") return;
  running?.remove();
  const target = document.querySelector(".dragon-tile .tile")?.getBoundingClientRect();
  const card = element("div", "effect-card", element("div", "effect-back", drawTile("back")), element("div", "effect-face", drawTile(indicator)));
  const flown = dragon === null ? null : element("div", "effect-dragon", drawTile(dragon, "wild"));
  const layer = element("div", "effect", card, flown, element("div", "effect-words", `翻牌 ${tileNames(indicator)[0]}`));
  layer.setAttribute("aria-hidden", "true");
  document.body.append(layer);
  running = layer;
  turn(layer, card);
  const done = flown === null || target === undefined ? fade(layer, TURN_MS + STAY_MS) : fly(layer, flown, target);
  void done.finished.catch(() => undefined).then(() => {
    layer.remove();
    if (running === layer) running = null;
  });
}

function turn(layer: HTMLElement, card: HTMLElement): void {
  const [back, face] = [card.children[0], card.children[1]];
  const timing: KeyframeAnimationOptions = { duration: TURN_MS, fill: "both", easing: "ease-in-out" };
  layer.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 180, fill: "both" });
  card.animate([{ transform: "translateY(6%) scale(0.7)" }, { transform: "translateY(-6%) scale(1.06)", offset: 0.5 }, { transform: "none" }], timing);
  back?.animate([{ transform: "rotateY(0deg)" }, { transform: "rotateY(180deg)" }], timing);
  face?.animate([{ transform: "rotateY(-180deg)" }, { transform: "rotateY(0deg)" }], timing);
}

function fly(layer: HTMLElement, dragon: HTMLElement, target: DOMRect): Animation {
  const from = dragon.getBoundingClientRect();
  const x = target.left + target.width / 2 - (from.left + from.width / 2);
  const y = target.top + target.height / 2 - (from.top + from.height / 2);
  const scale = target.width / from.width;
  dragon.animate([{ opacity: 0, transform: "translateY(18%) scale(0.8)" }, { opacity: 1, transform: "none" }], {
    delay: TURN_MS - 150,
    duration: 350,
    fill: "both",
  });
  fade(layer.querySelector<HTMLElement>(".effect-card") ?? layer, TURN_MS + STAY_MS);
  fade(layer.querySelector<HTMLElement>(".effect-words") ?? layer, TURN_MS + STAY_MS);
  return dragon.animate(
    [{ transform: "none" }, { transform: `translate(${x}px, ${y}px) scale(${scale})`, offset: 0.92 }, { opacity: 0, transform: `translate(${x}px, ${y}px) scale(${scale})` }],
    { delay: TURN_MS + STAY_MS, duration: FLY_MS, fill: "forwards", easing: "cubic-bezier(0.5, 0, 0.2, 1)" },
  );
}

function fade(shown: HTMLElement, delay: number): Animation {
  return shown.animate([{ opacity: 1 }, { opacity: 0 }], { delay, duration: 350, fill: "forwards" });
}
