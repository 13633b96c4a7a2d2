// Numbers as text, and their change from the previous range.

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// duration is a time in its two largest units.
export function duration(seconds: number | null): string {
  if (seconds === null) return "–";
  const s = Math.round(seconds);
  if (s < minute) return s + " s";
  if (s < hour) return Math.floor(s / minute) + " min" + (s < 10 * minute && s % minute ? " " + (s % minute) + " s" : "");
  if (s < day) return Math.floor(s / hour) + " h" + (s % hour >= minute ? " " + Math.floor((s % hour) / minute) + " min" : "");
  return Math.floor(s / day) + " d" + (s % day >= hour ? " " + Math.floor((s % day) / hour) + " h" : "");
}

export const count = (n: number): string => n.toLocaleString();

export const share = (part: number | null): string => (part === null ? "–" : Math.round(part * 100) + " %");

export const score = (value: number | null): string => (value === null ? "–" : value.toFixed(1) + " of 5");

// change describes how a number differs from the previous range, "" if there is none.
export function change(now: number | null, before: number | null): string {
  if (now === null || before === null) return "";
  if (now === before) return "unchanged";
  if (!before) return "none before";
  const percent = Math.round(((now - before) / before) * 100);
  return (percent > 0 ? "+" : "−") + Math.abs(percent) + " % compared with before";
}

// iso is a date as the API has it, some days from today.
export function iso(days: number): string {
  const at = new Date();
  at.setDate(at.getDate() + days);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}
