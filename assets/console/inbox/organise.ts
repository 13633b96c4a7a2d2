// The head of a conversation: who has it, its tags, and the menus to change that.

import { call, sessionPath } from "../net/api";
import { byId, h, on, setText } from "../ui/dom";
import { withSession } from "../state/events";
import { clockTime, dayKey } from "../ui/format";
import { myId } from "../state/me";
import { attempt, current, set } from "../state/store";
import type { View } from "../state/store";
import type { Session } from "../types";
import { locale, tr } from "../ui/texts";

interface Organised {
  addTags?: string[];
  removeTags?: string[];
  snoozedUntil?: string | null;
  assignee?: string | null;
}

// put changes how a conversation is organised, and reports whether it could. What is wrong goes to a form, if there is one.
export async function put(s: Session, change: Organised, refused?: (error: Error) => void): Promise<boolean> {
  const work = call<Session>("PATCH", sessionPath(s.id), change);
  const saved = await (refused ? work.catch(refused) : attempt(work, tr("Could not change")));
  if (saved) set(withSession(saved));
  return !!saved;
}

// snoozeTime is when a snooze ends, in few letters: rows have little room.
export function snoozeTime(until: string): string {
  if (dayKey(until) === new Date().toDateString()) return clockTime(until);
  const isSoon = Date.parse(until) - Date.now() < 6 * 86_400_000;
  const date: Intl.DateTimeFormatOptions = isSoon ? { weekday: "short" } : { day: "numeric", month: "short" };
  return new Date(until).toLocaleString(locale, { ...date, hour: "numeric", minute: "2-digit" });
}

function draw(s: Session): void {
  setText("assign-name", s.assignee?.name ?? tr("Assign"));
  byId("thread-assign").classList.toggle("none", !s.assignee);
  byId("thread-snooze").classList.toggle("on", !!s.snoozedUntil);
  const marks = [s.snoozedUntil && h("span", { class: "tag warn" }, tr("Snoozed until {time}", { time: snoozeTime(s.snoozedUntil) })),
    ...s.tags.map((tag) => h("span", { class: "tag label" }, tag))];
  byId("thread-tags").replaceChildren(...marks.filter((mark) => !!mark));
}

export const organiseView: View = (now, before) => {
  const s = current(now);
  if (s && s !== current(before)) draw(s);
};

type Menu = "assign" | "snooze" | "more";

async function open(name: Menu): Promise<void> {
  const actions = await attempt(import("./actions"), tr("The menu could not be loaded"));
  await actions?.[name](byId("thread-" + name));
}

export function wireOrganise(): void {
  byId("thread-assign").hidden = !myId; // only people with an account are assigned
  for (const name of ["assign", "snooze", "more"] as Menu[]) on("thread-" + name, "click", () => open(name));
}
