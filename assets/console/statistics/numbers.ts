// Numbers as text, and their change from the previous range.

import { locale, tr } from "../ui/texts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// duration is a time in its two largest units.
export function duration(seconds: number | null): string {
  if (seconds === null) return "–";
  const s = Math.round(seconds);
  if (s < minute) return tr("{n} s", { n: s });
  if (s < hour) return tr("{n} min", { n: Math.floor(s / minute) }) +
    (s < 10 * minute && s % minute ? " " + tr("{n} s", { n: s % minute }) : "");
  if (s < day) return tr("{n} h", { n: Math.floor(s / hour) }) +
    (s % hour >= minute ? " " + tr("{n} min", { n: Math.floor((s % hour) / minute) }) : "");
  return Math.floor(s / day) + " d" + (s % day >= hour ? " " + Math.floor((s % day) / hour) + " h" : "");
}

export const count = (n: number): string => n.toLocaleString(locale);

export const share = (part: number | null): string => (part === null ? "–" : Math.round(part * 100) + " %");

export const score = (value: number | null): string => (value === null ? "–" : tr("{score} of 5", { score: value.toFixed(1) }));

// change describes how a number differs from the previous range, "" if there is none.
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null) return "";
  if (now === before) return "unchanged";
  if (!before) return tr("none before");
  const percent = Math.round(((now - before) / before) * 100);
  return tr("{change} % compared with before", { change: (percent > 0 ? "+" : "−") + Math.abs(percent) });
}

// iso is a date as the API has it, some days from today.
export function iso(days: number): string {
  const at = new Date();
  at.setDate(at.getDate() + days);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}
