// Business hours: weekly intervals, a time zone, and exceptions by date; and what happens while nobody answers.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import type { Presence } from "../types";
import { mark } from "../ui/fields";
import { form, type Control } from "./form";
import { area, choice, number } from "./controls";
import { intervals, type Intervals } from "./intervals";
import type { Page } from "./page";
import { button, labelled, save, section, type BusinessHours } from "./settings";
import { keepPlace, refresh } from "./shell";
import { steps } from "./waiting";
import { locale, tr } from "../ui/texts";

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const proposed: BusinessHours = { timezone: "", weekly: Object.fromEntries(days.slice(0, 5).map((day) => [day, ["09:00-17:00"]])) };
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

// An exception is a date with its hours, none when closed.
interface Exception {
  node: HTMLElement;
  date: HTMLInputElement;
  hours: Intervals;
}

// Hours edits business hours as a whole.
interface Hours extends Control {
  // problem returns what is missing, "" for nothing.
  problem(): string;
  // whole is what the fields say, also while they are no more than the proposal.
  whole(): BusinessHours;
}

// dates edits the exceptions.
function dates(changed: () => void) {
  const list = h("div", { class: "exceptions" });
  let all: Exception[] = [];
  const add = (date: string, hours: string[]): Exception => {
    const input = h("input", { class: "input", type: "date", required: true, value: date, "aria-label": tr("Date") });
    const one: Exception = { node: h("div", { class: "exception" }), date: input, hours: intervals(tr("this date"), changed) };
    one.hours.set(hours);
    one.node.append(input, one.hours.node, button(tr("Remove date"), () => {
      all = all.filter((e) => e !== one);
      one.node.remove();
      changed();
      more.focus();
    }));
    list.append(one.node);
    all.push(one);
    return one;
  };
  const more = button(tr("Add a date"), () => {
    add("", []).date.focus();
    changed();
  });
  return {
    nodes: [list, more],
    get: (): Record<string, string[]> => Object.fromEntries(all.map((e) => [e.date.value, e.hours.get()])),
    set(exceptions: Record<string, string[]> = {}): void {
      all = [];
      list.replaceChildren();
      for (const [date, hours] of Object.entries(exceptions).sort()) add(date, hours);
    },
    twice: (): boolean => new Set(all.map((e) => e.date.value)).size < all.length,
  };
}

function hours(): Hours {
  const zone = h("select", { class: "input" });
  const week = days.map((day) => intervals(capital(day), () => changed()));
  const exceptions = dates(() => changed());
  // unchanged is the proposal as long as no hours are set: it is not saved unless edited.
  let unchanged = "";

  const value = (): BusinessHours => ({
    timezone: zone.value,
    weekly: Object.fromEntries(days.map((day, i) => [day, week[i]!.get()] as const).filter(([, list]) => list.length)),
    exceptions: exceptions.get(),
  });
  const changed = (): void => void node.dispatchEvent(new Event("input", { bubbles: true }));
  const copy = button(tr("Copy Monday’s hours to Tuesday–Friday"), () => {
    for (const day of week.slice(1, 5)) day.set(week[0]!.get());
    changed();
  });
  const fill = (stored: BusinessHours): void => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const names = new Set([stored.timezone || own, own, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    zone.replaceChildren(...[...names].sort().map((name) => h("option", { value: name }, name.replaceAll("_", " "))));
    zone.value = stored.timezone || own;
    days.forEach((day, i) => week[i]!.set(stored.weekly?.[day] ?? []));
    exceptions.set(stored.exceptions);
  };
  const node = h("div", { class: "hours" }, labelled(tr("Time zone"), zone),
    h("div", { class: "week" },
      ...days.map((day, i) => h("div", { class: "day-row", role: "group", "aria-label": capital(day) },
        h("b", { "aria-hidden": "true" }, capital(day)), week[i]!.node))),
    h("div", { class: "buttons" }, copy),
    h("h3", {}, tr("Exceptions")),
    h("p", { class: "hint" }, tr("Dates with different hours. A date without hours is closed.")),
    ...exceptions.nodes);

  return {
    node,
    get: () => (JSON.stringify(value()) === unchanged ? null : value()),
    set(stored) {
      fill((stored as BusinessHours | null) ?? proposed);
      unchanged = stored ? "" : JSON.stringify(value());
    },
    lock: (locked) => void (node.inert = locked),
    whole: value,
    problem() {
      const empty = [...node.querySelectorAll("input")].find((input) => !input.value);
      if (empty) return empty.type === "date" ? tr("Choose the date, or remove it.") : tr("Enter a time, or remove these hours.");
      return exceptions.twice() ? tr("A date appears twice.") : "";
    },
  };
}

// use stores the proposal as it was edited, unless something is missing there.
function use(control: Hours, put: (value: BusinessHours) => Promise<void>): Promise<void> | undefined {
  mark(control.node, control.problem());
  return control.problem() ? undefined : put(control.whole());
}

export function hoursPage(): Page {
  const control = hours();
  const now = h("p", { class: "hint", role: "status" });
  const proposal = h("div", { class: "buttons" },
    h("p", { class: "hint" },
      tr("No business hours are set: visitors see somebody online only while one of you is active. These are a suggestion.")));
  const remove = button(tr("Remove business hours"), async () => {
    const question = tr("Remove the business hours? Visitors then see somebody online only while one of you is active.");
    if (await ask(question, tr("Remove"))) void put(null);
  });
  const rule = steps();
  const week = form([
    { name: "businessHours", label: tr("When somebody is there"), control, check: () => control.problem() },
    { name: "outsideHours", label: tr("While nobody is there, visitors find"),
      control: choice([["chat", tr("The chat, as always")], ["form", tr("A form first, that asks who they are")],
        ["hide", tr("No chat outside the business hours")]]),
      hint: tr("The form is yours, or asks for a name or an e-mail address. Who has opened the chat before always finds it.") },
    { name: "unanswered", label: tr("Steps"), control: rule, check: () => rule.problem() },
    { name: "autoCloseDays", label: tr("Close after days without a message"), control: number(0, 365),
      hint: tr("0 closes nothing. What waits for an answer stays open.") },
    { name: "autoCloseText", label: tr("The last word"),
      control: area({ maxlength: 1000, placeholder: tr("We close this conversation for now. Write again whenever you like.") }),
      hint: tr("The visitor gets it before the conversation is closed. Empty: nothing.") },
  ], (n) => [
    section(tr("Business hours"),
      h("p", { class: "hint" },
        tr("During these hours visitors see that you are online; outside them, they see when you are back, in their own time. " +
          "The switch in your menu takes precedence.")),
      now, proposal, n["businessHours"]!, h("div", { class: "buttons" }, remove), n["outsideHours"]!),
    section(tr("When nobody answers"),
      h("p", { class: "hint" },
        tr("The minutes count from the visitor’s first message without an answer. Notifications go to devices and into the threads; " +
          "they wait for your business hours, and for the end of a snooze. An answer ends the steps.")),
      n["unanswered"]!),
    section(tr("Idle conversations"), n["autoCloseDays"]!, n["autoCloseText"]!),
  ]);

  // showStatus shows whether visitors see somebody online now.
  const showStatus = async (): Promise<void> => {
    now.textContent = tr("Now: {inWords}", { inWords: inWords(await call<Presence>("GET", "/operator/status")) });
  };
  const put = async (value: BusinessHours | null): Promise<void> => {
    await save({ businessHours: value });
    await refresh();
    keepPlace();
  };
  proposal.append(button(tr("Use these hours"), () => use(control, put)));

  return {
    node: week.node,
    form: week,
    show(settings) {
      remove.hidden = settings.sources["businessHours"] !== "stored";
      proposal.hidden = !!settings["businessHours"];
      void showStatus();
    },
  };
}

// inWords describes what visitors see.
function inWords({ online, mode, hoursEnd, backAt }: Presence): string {
  const at = (time: string): string => new Date(time).toLocaleString(locale, { weekday: "long", hour: "numeric", minute: "2-digit" });
  if (hoursEnd) return tr("visitors see you online, by business hours until {time}.", { time: at(hoursEnd) });
  if (online) return mode === "online" ? tr("visitors see you online, by the switch.")
    : tr("visitors see you online, because one of you is active.");
  return backAt ? tr("visitors see you away, back {time} (your time).", { time: at(backAt) }) : tr("visitors see you away.");
}
