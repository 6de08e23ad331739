// The small buttons of the bar, the same in all views.
import { both, element } from "./elements";
import { language, nextLanguage, type Language } from "./language";
import { openedView, openView } from "./navigation";
import { takesOrders } from "./orders";
import { openReferee } from "./referee";
import { openSetup } from "./setup";
import { howLoud, nextLoudness, type Loudness } from "./sounds";
import { isTurned, turnRound } from "./turned";

interface Tool {
  name: string;
  words: () => [string, string];
  pressed?: () => boolean;
  // Whether the button is there at all.
  offered?: () => boolean;
  touched: () => void;
}

const LANGUAGES: Record<Language, [string, string]> = { both: ["中文 · English", ""], zh: ["中文", ""], en: ["English", ""] };
const LOUDNESS: Record<Loudness, [string, string]> = {
  off: ["声音：关", "sound off"],
  tones: ["声音：提示音", "tones"],
  voice: ["声音：语音", "voice"],
};

const TOOLS: readonly Tool[] = [
  {
    name: "setup",
    words: () => ["开局", "set-up"],
    pressed: () => openedView() === "setup",
    offered: takesOrders,
    touched: () => (openedView() === "setup" ? openView(null) : void openSetup()),
  },
  {
    name: "referee",
    words: () => ["裁判", "referee"],
    pressed: () => openedView() === "referee",
    offered: takesOrders,
    touched: () => (openedView() === "referee" ? openView(null) : void openReferee()),
  },
  { name: "turned", words: () => ["朝向各方", "turn to sides"], pressed: isTurned, touched: turnRound },
  { name: "sounds", words: () => LOUDNESS[howLoud()], pressed: () => howLoud() !== "off", touched: nextLoudness },
  { name: "language", words: () => LANGUAGES[language()], touched: nextLanguage },
];

export function drawTools(redraw: () => void): Node[] {
  return TOOLS.filter((tool) => tool.offered?.() ?? true).map((tool) => {
    const button = element("button", "tool", both(...tool.words()));
    button.setAttribute("type", "button");
    button.dataset["tool"] = tool.name;
    if (tool.pressed !== undefined) button.setAttribute("aria-pressed", String(tool.pressed()));
    button.addEventListener("click", () => {
      tool.touched();
      redraw();
    });
    return button;
  });
}
