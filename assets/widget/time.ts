// time.ts words times and days. The widget speaks English, in the visitor's
// regional habit where the browser tells one.

const locale = navigator.languages.find((l) => /^en\b/i.test(l)) || "en";
const clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const near = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const far = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const DAY = 86_400_000;

/** timeOf is the time of day, such as "14:03". */
export function timeOf(iso: string): string {
  return clock.format(new Date(iso));
}

/** dayOf is "Today", "Yesterday", or the weekday and date. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  const days = Math.round((midnight(date) - midnight(new Date())) / DAY);
  const name = days === 0 || days === -1 ? near.format(days, "day") : far.format(date);
  return name[0]!.toUpperCase() + name.slice(1);
}

function midnight(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0);
}
