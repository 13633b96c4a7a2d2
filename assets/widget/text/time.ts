// time.ts words times and days in the visitor's language.

import { fill, locale, t } from "./strings";

const DAY = 86_400_000;

let made = "";
let clock: Intl.DateTimeFormat;
let near: Intl.RelativeTimeFormat;
let far: Intl.DateTimeFormat;
let weekday: Intl.DateTimeFormat;
let dayMonth: Intl.DateTimeFormat;

/** prepare makes the formats once per language: they are slow to make. */
export function prepare(): void {
  if (made === locale) return;
  made = locale;
  clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
  near = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  far = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
  weekday = new Intl.DateTimeFormat(locale, { weekday: "long" });
  dayMonth = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" });
}

/** backOf is a moment to come, such as "Back Monday at 9:00". */
export function backOf(iso: string): string {
  const date = new Date(iso);
  const days = daysTo(date);
  const time = timeOf(iso);
  if (days < 1) return fill(t.back, { time });
  return fill(t.backOn, { time, day: days < 2 ? near.format(1, "day") : (days < 7 ? weekday : dayMonth).format(date) });
}

/** replyIn is a usual waiting time in words, such as "in 12 minutes". */
export function replyIn(seconds: number): string {
  if (seconds < 3_600) return near.format(Math.ceil(seconds / 60), "minute");
  return seconds < 172_800 ? near.format(Math.ceil(seconds / 3_600), "hour") : near.format(Math.ceil((seconds * 1_000) / DAY), "day");
}

/** weekdayOf is a day's name. */
export const weekdayOf = (day: Date) => weekday.format(day);

/** timeOf is the time of day, such as "14:03". */
export function timeOf(iso: string): string {
  return clock.format(new Date(iso));
}

let known = "";
let word = "";

/** dayOf is "Today", "Yesterday", or the weekday and date. Neighbours are mostly of one day. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  const days = daysTo(date);
  const key = locale + days + date.toDateString();
  if (key !== known) {
    const name = days === 0 || days === -1 ? near.format(days, "day") : far.format(date);
    known = key;
    word = name[0]!.toLocaleUpperCase(locale) + name.slice(1);
  }
  return word;
}

/** daysTo counts calendar days; one with a clock change is one, too. */
function daysTo(date: Date): number {
  return Math.round((midnight(date) - midnight(new Date())) / DAY);
}

function midnight(date: Date): number {
  return new Date(date).setHours(0, 0, 0, 0);
}
