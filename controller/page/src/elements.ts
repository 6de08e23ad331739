// Builds elements; text is always set as text, never as markup.

export function element(tag: string, className: string, ...children: (Node | string | null)[]): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function shape(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

// Chinese first, English beside it; the language switch shows one of them or both. Without English the Chinese stays.
export function both(zh: string, en: string): HTMLElement {
  const [chinese, english] = [element("span", "zh", zh), element("span", "en", en)];
  chinese.lang = "zh-CN";
  english.lang = "en";
  return element("span", en === "" ? "both only" : "both", chinese, " ", english);
}
