// spoken.ts names the language that a visitor reads, and its texts.

/** spoken is the first language that is known: of the option, the setting, page, browser. */
export function spoken(locale?: string, setting?: string | null): string {
  const all = [locale, setting, document.documentElement.lang, ...navigator.languages];
  const codes = all.map((tag) => (tag || "").toLowerCase().split(/[-_]/)[0]!.replace("iw", "he"));
  return codes.find((code) => code && LANGUAGES.split(" ").includes(code)) || "en";
}

/** named gives texts their names: a language's file lists them in the order of the English ones. */
export function named<T extends object>(english: T, texts: unknown[] = Object.values(english)): T {
  return Object.fromEntries(Object.keys(english).map((name, i) => [name, texts[i]])) as T;
}
