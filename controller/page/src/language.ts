// Which language is read: Chinese, English, or Chinese with English beside it. The page remembers it.

export type Language = "both" | "zh" | "en";
const LANGUAGES: readonly Language[] = ["both", "zh", "en"];
const KEPT_AS = "longzhuo.language";

let chosen: Language = LANGUAGES.find((each) => each === kept()) ?? "both";

export function language(): Language {
  return chosen;
}

export function nextLanguage(): void {
  chosen = LANGUAGES[(LANGUAGES.indexOf(chosen) + 1) % LANGUAGES.length] ?? "both";
  try {
    localStorage.setItem(KEPT_AS, chosen);
  } catch {
    // A browser that keeps nothing begins with both again.
  }
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

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
