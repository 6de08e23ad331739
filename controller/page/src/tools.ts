// The small buttons of the bar, the same in all views.
import { both, element } from "./elements";
import { language, nextLanguage, type Language } from "./language";
import { openedView, openView } from "./navigation";
import { takesOrders } from "./orders";
import { openReferee } from "./referee";
import { openSetup } from "./setup";

interface Tool {
  name: string;
  words: () => [string, string];
  pressed?: () => boolean;
  // Whether the button is there at all.
  offered?: () => boolean;
  touched: () => void;
}

const LANGUAGE_WORDS: Record<Language, string> = { both: "中文 · English", zh: "中文", en: "English" };

const TOOLS: readonly Tool[] = [
  {
    name: "setup",
    words: () => ["☰ 开局", "set-up"],
    pressed: () => openedView() === "setup",
    offered: takesOrders,
    touched: () => (openedView() === "setup" ? openView(null) : void openSetup()),
  },
  {
    name: "referee",
    words: () => ["⚖ 裁判", "referee"],
    pressed: () => openedView() === "referee",
    offered: takesOrders,
    touched: () => (openedView() === "referee" ? openView(null) : void openReferee()),
  },
  { name: "language", words: () => [LANGUAGE_WORDS[language()], ""], touched: nextLanguage },
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
