// Which language is read: Chinese, English, or Chinese with English beside it. The page remembers it.
import { remember, remembered } from "./kept";

export type Language = "both" | "zh" | "en";
const LANGUAGES: readonly Language[] = ["both", "zh", "en"];

let chosen: Language = LANGUAGES.find((each) => each === remembered("language")) ?? "both";

export function language(): Language {
  return chosen;
}

export function nextLanguage(): void {
  chosen = LANGUAGES[(LANGUAGES.indexOf(chosen) + 1) % LANGUAGES.length] ?? "both";
  remember("language", chosen);
  useLanguage();
}

// What `both` has made is shown or hidden by the style sheet, so that nothing has to be drawn anew.
export function useLanguage(): void {
  document.documentElement.dataset["language"] = chosen;
  document.documentElement.lang = chosen === "en" ? "en" : "zh-CN";
}

// For where only one text fits, such as the label of a picture.
export function words(zh: string, en: string): string {
  return chosen === "en" && en !== "" ? en : zh;
}
