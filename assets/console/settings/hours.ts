// Business hours: days with intervals, a time zone, and dates of exception.

import { call } from "../api";
import { ask } from "../ask";
import { h } from "../dom";
import type { Presence } from "../types";
import { intervals, type Intervals } from "./intervals";
import { button, feedback, fromEnvironment, labelled, save, section, type BusinessHours, type Section, type Settings } from "./settings";

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const usual: BusinessHours = { timezone: "", weekly: Object.fromEntries(days.slice(0, 5).map((day) => [day, ["09:00-17:00"]])) };
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

// An exception is a date with its hours, none when closed.
interface Exception {
  node: HTMLElement;
  date: HTMLInputElement;
  hours: Intervals;
}

export function hoursSection(): Section {
  const said = feedback();
  const zone = h("select", { class: "input", onchange: () => typed() });
  const week = days.map((day) => intervals(capital(day), () => typed()));
  const others = h("div", { class: "exceptions" });
  let exceptions: Exception[] = [];
  let stored = "";
  let shown = "";
  const origin = h("p", { class: "hint" });
  const now = h("p", { class: "hint", role: "status" });

  const typed = (): void => said.said("");
  const value = (): BusinessHours => ({
    timezone: zone.value,
    weekly: Object.fromEntries(days.map((day, i) => [day, week[i]!.get()] as const).filter(([, list]) => list.length)),
    exceptions: Object.fromEntries(exceptions.map((e) => [e.date.value, e.hours.get()])),
  });

  const addException = (date: string, list: string[]): Exception => {
    const input = h("input", { class: "input", type: "date", required: true, value: date, oninput: typed, "aria-label": "Date" });
    const hours = intervals("this date", typed);
    hours.set(list);
    const one: Exception = { node: h("div", { class: "exception" }), date: input, hours };
    one.node.append(input, hours.node, button("Remove date", () => {
      exceptions = exceptions.filter((e) => e !== one);
      one.node.remove();
      typed();
      more.focus();
    }));
    others.append(one.node);
    exceptions.push(one);
    return one;
  };
  const more = button("Add a date", () => {
    addException("", []).date.focus();
    typed();
  });

  const fill = (hours: BusinessHours): void => {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const names = new Set([hours.timezone || own, own, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    zone.replaceChildren(...[...names].sort().map((name) => h("option", { value: name }, name.replaceAll("_", " "))));
    zone.value = hours.timezone || own;
    days.forEach((day, i) => week[i]!.set(hours.weekly?.[day] ?? []));
    exceptions = [];
    others.replaceChildren();
    for (const [date, list] of Object.entries(hours.exceptions ?? {}).sort()) addException(date, list);
    shown = JSON.stringify(value());
  };
  const adopt = (settings: Settings): void => {
    stored = JSON.stringify(settings.businessHours);
    fill(settings.businessHours ?? usual);
    remove.hidden = settings.sources["businessHours"] !== "stored";
    origin.textContent = settings.businessHours
      ? fromEnvironment(settings, "businessHours", "BUSINESS_HOURS")
      : "No business hours are set: visitors see somebody online only while one of you is active. These are a proposal.";
    void effect();
  };
  // effect tells what visitors see now.
  const effect = async (): Promise<void> => {
    now.textContent = "Now: " + inWords(await call<Presence>("GET", "/operator/status"));
  };
  const put = async (hours: BusinessHours | null): Promise<void> => {
    try {
      adopt(await save({ businessHours: hours }));
      said.said(hours ? "Saved." : "Removed.");
    } catch (error) {
      said.problem(readable((error as Error).message));
    }
  };
  const submit = (e: Event): void => {
    e.preventDefault();
    const empty = [...form.querySelectorAll("input")].find((input) => !input.value);
    if (empty) {
      said.problem(empty.type === "date" ? "Choose the date, or remove it." : "Enter a time, or remove these hours.");
      return empty.focus();
    }
    if (new Set(exceptions.map((e) => e.date.value)).size < exceptions.length) return said.problem("A date is there twice.");
    void put(value());
  };
  const remove = button("Remove business hours", async () => {
    if (await ask("Remove the business hours? Visitors then see somebody online only while one of you is active.", "Remove")) void put(null);
  });
  const copy = button("Monday’s hours on Tuesday to Friday", () => {
    for (const day of week.slice(1, 5)) day.set(week[0]!.get());
    typed();
  });
  const form = h("form", { novalidate: true, onsubmit: submit },
    labelled("Time zone", zone),
    h("div", { class: "week" }, ...days.map((day, i) => h("div", { class: "day-row", role: "group", "aria-label": capital(day) }, h("b", { "aria-hidden": "true" }, capital(day)), week[i]!.node))),
    h("div", { class: "buttons" }, copy),
    h("h3", {}, "Exceptions"),
    h("p", { class: "hint" }, "Single dates with other hours. A date without hours is closed."),
    others,
    more,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "button main" }, "Save hours"), remove, ...said.nodes));

  return {
    node: section("Business hours",
      h("p", { class: "hint" }, "During these hours visitors see somebody online, and otherwise when you are back, in their own time. The switch in your menu still wins."),
      origin, now, form),
    show(settings) {
      if (JSON.stringify(settings.businessHours) === stored || (shown && shown !== JSON.stringify(value()))) return void effect();
      adopt(settings);
    },
  };
}

// readable puts a mistake that the server found in the words of the form.
function readable(text: string): string {
  return capital(text.replace(/^businessHours\./, "").replace(/^(weekly|exceptions)\./, "").replace("[] when closed; ", ""));
}

// inWords tells what visitors see.
function inWords({ online, mode, hoursEnd, backAt }: Presence): string {
  const at = (time: string): string => new Date(time).toLocaleString([], { weekday: "long", hour: "numeric", minute: "2-digit" });
  if (hoursEnd) return "visitors see you online, by business hours until " + at(hoursEnd) + ".";
  if (online) return "visitors see you online" + (mode === "online" ? ", by the switch." : ", as one of you is active.");
  return "visitors see you away" + (backAt ? ", back " + at(backAt) + " (your time)." : ".");
}
