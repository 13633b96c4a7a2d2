// Sessions, times and sizes as text.

import { parse, starIsBold, type Piece } from "../../shared/markup";
import { h } from "./dom";
import type { Message, Session } from "../types";
import { locale, tr } from "./texts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

// local makes its format once: that takes longer than to use it for a whole page.
function local(options: Intl.DateTimeFormatOptions): (at: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => {
    const time = new Date(at);
    return Number.isNaN(+time) ? String(time) : (format ??= new Intl.DateTimeFormat(locale, options)).format(time);
  };
}

export const clockTime = local({ timeStyle: "short" });
export const fullTime = local({ dateStyle: "medium", timeStyle: "short" });
const shortDay = local({ day: "numeric", month: "short" });
const longDay = local({ weekday: "long", day: "numeric", month: "long" });
const otherYear = local({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

export function ago(at: string): string {
  const age = Date.now() - Date.parse(at);
  if (age < minute) return tr("now");
  if (age < hour) return tr("{n} min", { n: Math.floor(age / minute) });
  if (age < day) return tr("{n} h", { n: Math.floor(age / hour) });
  if (age < 7 * day) return tr("{n} d", { n: Math.floor(age / day) });
  return shortDay(at);
}

// mostCounted is as far as the server counts conversations.
export const mostCounted = 1000;

// sentence begins with a capital.
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// until returns how long it is until a future time.
export function until(at: string): string {
  const left = Date.parse(at) - Date.now();
  if (left < minute) return tr("in a moment");
  if (left < hour) return tr("in {n} min", { n: Math.round(left / minute) });
  return tr("in {n} h", { n: Math.round(left / hour) });
}

// agoTime is a <time> that refreshTimes keeps current.
export function agoTime(at: string): HTMLTimeElement {
  return h("time", { datetime: at, title: fullTime(at), "data-ago": true }, ago(at));
}

// timeThere is the time in a time zone, or nothing of one that the browser does not know.
function timeThere(zone: string): string {
  try {
    return tr("{time} there ({zone})", { time: new Date().toLocaleTimeString(locale, { timeStyle: "short", timeZone: zone }), zone });
  } catch {
    return "";
  }
}

// zoneTime is a text that refreshTimes keeps current.
export function zoneTime(zone = ""): HTMLElement | false {
  const text = !!zone && timeThere(zone);
  return !!text && h("span", { "data-zone": zone }, text);
}

export function refreshTimes(): void {
  for (const el of document.querySelectorAll<HTMLElement>("[data-zone]")) el.textContent = timeThere(el.dataset["zone"]!);
  for (const el of document.querySelectorAll<HTMLTimeElement>("time[data-ago]")) el.textContent = ago(el.dateTime);
}

// dayKey groups by the operator's own calendar day.
export function dayKey(at: string): string {
  return new Date(at).toDateString();
}

// dayName includes the year if it is not this one. Yesterday is not always 24 hours ago.
export function dayName(at: string): string {
  const key = dayKey(at);
  const now = new Date();
  if (key === now.toDateString()) return tr("Today");
  const inYear = now.getFullYear() === new Date(at).getFullYear();
  now.setDate(now.getDate() - 1);
  if (key === now.toDateString()) return tr("Yesterday");
  return (inYear ? longDay : otherYear)(at);
}

// codeName spells out a country's or language's code, and leaves alone what is none.
export function codeName(type: "region" | "language", code = ""): string {
  try {
    return new Intl.DisplayNames(locale, { type }).of(code) ?? code;
  } catch {
    return code;
  }
}

// platformName is the name of a platform as people write it.
export function platformName(source: string): string {
  return source === "api" ? "API" : source.charAt(0).toUpperCase() + source.slice(1);
}

// visitorName is what the team calls the visitor, or the name or e-mail that the visitor gave, else a nickname.
export function visitorName(s: Session): string {
  if (s.contactName) return s.contactName;
  for (const source of [s.identity, s.preChat]) {
    for (const field of ["name", "email"]) {
      const value = source?.[field];
      if (typeof value === "string" && value) return value;
    }
  }
  return s.nickname;
}

// pagePath shortens the page's address to the part that distinguishes pages: the path on the
// website, with the host on any other.
export function pagePath(url: string | undefined): string {
  try {
    const { host, pathname } = new URL(url ?? "");
    if (pathname === "/") return host;
    return (document.body.dataset["hosts"]?.split(" ").includes(host) ? "" : host) + pathname;
  } catch {
    return url ?? "";
  }
}

// webURL returns the address only when it is safe to link to.
export function webURL(url: string | undefined): string {
  return /^https?:\/\//i.test(url ?? "") ? (url as string) : "";
}

// fileURL turns relay's own absolute file links into paths, so that they load by whatever name relay was opened.
export function fileURL(url: string): string {
  const at = url.indexOf("/files/");
  return at > 0 && webURL(url) ? url.slice(at) : url.startsWith("/") ? url : webURL(url);
}

const wordsOf = (piece: Piece): string =>
  (typeof piece === "string" ? piece : piece.kids.map(wordsOf).join("") + (piece.tag === "li" ? " " : ""));

// lookedAt is how much of a text a preview reads: more is never seen.
const lookedAt = 400;

// inOneLine is a text without the marks of its markup.
export const inOneLine = (text: string, boldStar = false): string =>
  parse(text, boldStar).map(wordsOf).join("").replace(/\s+/g, " ").trim();

// preview is a message in one line.
export function preview(m: Message): string {
  if (m.deletedAt) return tr("Message deleted");
  return inOneLine(m.content.slice(0, lookedAt), starIsBold(m.sourceBridge)) || m.attachments.map((a) => a.filename).join(", ");
}
