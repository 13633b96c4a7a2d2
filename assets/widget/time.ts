// time.ts words times and days. The widget speaks English, in the visitor's
// regional habit where the browser tells one.

import * as t from "./strings";

const locale = navigator.languages.find((l) => /^en\b/i.test(l)) || "en";
const clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
const near = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const far = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });
const dayMonth = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" });
const DAY = 86_400_000;

/** backOf is a moment to come, such as "Back Monday at 9:00". */
export function backOf(iso: string): string {
  const date = new Date(iso);
  const days = daysTo(date);
  const form = days < 7 ? weekday : dayMonth;
  const day = days < 1 ? "" : ` ${days < 2 ? near.format(1, "day") : form.format(date)}`;
  return `${t.back}${day} ${t.at} ${timeOf(iso)}`;
}

/** replyIn is a usual waiting time in words, such as "in 12 minutes". */
export function replyIn(seconds: number): string {
  if (seconds < 3_600) return near.format(Math.ceil(seconds / 60), "minute");
  return seconds < 172_800 ? near.format(Math.ceil(seconds / 3_600), "hour") : near.format(Math.ceil((seconds * 1_000) / DAY), "day");
}

/** timeOf is the time of day, such as "14:03". */
export function timeOf(iso: string): string {
  return clock.format(new Date(iso));
}

/** dayOf is "Today", "Yesterday", or the weekday and date. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  const days = daysTo(date);
  const name = days === 0 || days === -1 ? near.format(days, "day") : far.format(date);
  return name[0]!.toUpperCase() + name.slice(1);
}

/** daysTo counts calendar days; one with a clock change is one, too. */
function daysTo(date: Date): number {
  return Math.round((midnight(date) - midnight(new Date())) / DAY);
}

function midnight(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0);
}
