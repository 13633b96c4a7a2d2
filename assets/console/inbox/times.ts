// The times to which a conversation can be snoozed by one click.

import { locale, tr } from "../ui/texts";

// at returns a time on the day a number of days from now.
function at(days: number, hour: number): Date {
  const time = new Date();
  time.setDate(time.getDate() + days);
  time.setHours(hour, 0, 0, 0);
  return time;
}

// times are proposals, each with its name; no two are the same moment.
export function times(): [string, Date][] {
  const now = new Date();
  const evening: [string, Date][] = now.getHours() < 17 ? [[tr("This evening"), at(0, 18)]] : [];
  const monday = (8 - now.getDay()) % 7 || 7;
  const week: [string, Date][] = monday > 1 && monday < 7 ? [[tr("Monday morning"), at(monday, 9)]] : [];
  return [[tr("In an hour"), new Date(Date.now() + 3_600_000)], ...evening, [tr("Tomorrow morning"), at(1, 9)], ...week,
    [tr("In a week"), at(7, 9)]];
}

// hint is how a menu shows a time.
export const hint = (time: Date): string => time.toLocaleString(locale, { weekday: "short", hour: "numeric", minute: "2-digit" });
