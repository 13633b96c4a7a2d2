// The theme that a person chose for the console in this browser, in the place of the system's. It stands in the page's head, so that the
// first thing drawn has it, and is loaded again where one is chosen.

export type Theme = "" | "light" | "dark";

const storageKey = "relay:theme";

export function chosen(): Theme {
  try {
    return (localStorage.getItem(storageKey) ?? "") as Theme;
  } catch {
    return ""; // storage is forbidden
  }
}

export function choose(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // The choice lasts as long as the page.
  }
  apply(theme);
}

// asWritten are the media of the sheet's dark rules before they were changed, the same for both.
const asWritten = ((window as { relayMedia?: Map<CSSMediaRule, string> }).relayMedia ??= new Map());

// apply lets the rules for dark systems always hold, or never. Colours stay in one place: the style sheet.
function apply(theme: Theme): void {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule) || !(asWritten.get(rule) ?? rule.media.mediaText).includes("prefers-color-scheme")) continue;
      if (!asWritten.has(rule)) asWritten.set(rule, rule.media.mediaText);
      rule.media.mediaText = theme ? (theme === "dark" ? "all" : "not all") : asWritten.get(rule)!;
    }
  }
  document.documentElement.style.colorScheme = theme;
}

if (chosen()) apply(chosen());
