// spoken.ts names the language that a visitor reads.

/** spoken is the first language that is known: of the option, the setting, page, browser. */
export function spoken(locale?: string, setting?: string | null): string {
  const all = [locale, setting, document.documentElement.lang, ...navigator.languages];
  const codes = all.map((tag) => (tag || "").toLowerCase().split(/[-_]/)[0]!.replace("iw", "he"));
  return codes.find((code) => code && LANGUAGES.split(" ").includes(code)) || "en";
}
