// What the visitor said, and what the team wrote down: name and fields.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { mark } from "../ui/fields";
import { sentence } from "../ui/format";
import { button, feedback, labelled, section } from "../settings/settings";
import type { Again, Contact } from "./types";
import { tr } from "../ui/texts";

// said lists what the visitor said in the newest conversation.
function said({ conversations: [newest] }: Contact): HTMLElement | "" {
  const facts = Object.entries({ ...newest?.preChat, ...newest?.identity });
  if (!facts.length) return "";
  const text = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return h("dl", { class: "contact-facts" }, ...facts.map(([name, value]) =>
    h("div", {}, h("dt", {}, sentence(name)), h("dd", { dir: "auto" }, text(value)))));
}

interface Line {
  node: HTMLElement;
  name: HTMLInputElement;
  value: HTMLInputElement;
}

function line(name = "", value = ""): Line {
  const of = h("input", { class: "input", maxlength: "40", value: name, "aria-label": tr("Name of the field"),
    placeholder: tr("Company") });
  const is = h("input", { class: "input", maxlength: "1000", value, "aria-label": name ? tr("Value of {name}", { name }) : tr("Value"),
    dir: "auto" });
  const node = h("div", { class: "contact-field field" }, of, is);
  node.append(button(tr("Remove"), () => node.remove(), tr("Remove the field {name}", { name })));
  return { node, name: of, value: is };
}

// changes are the fields that differ; null takes one away.
function changes(before: Record<string, string>, lines: Line[]): Record<string, string | null> {
  const now: Record<string, string> = {};
  for (const { node, name, value } of lines) if (node.isConnected && name.value.trim()) now[name.value.trim()] = value.value.trim();
  const change: Record<string, string | null> = {};
  for (const name of Object.keys(before)) if (!(name in now)) change[name] = null;
  for (const [name, value] of Object.entries(now)) if (before[name] !== value) change[name] = value || null;
  return change;
}

export function details(contact: Contact, path: string, again: Again): HTMLElement {
  const name = h("input", { class: "input", maxlength: "100", value: contact.name, dir: "auto", autocomplete: "off" });
  const lines = Object.entries(contact.fields).map(([field, value]) => line(field, value));
  const fields = h("div", {}, ...lines.map((l) => l.node));
  const add = button(tr("Add a field"), () => {
    const next = line();
    lines.push(next);
    fields.append(next.node);
    next.name.focus();
  });
  const report = feedback();
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const nameless = lines.find((l) => l.node.isConnected && l.value.value.trim() && !l.name.value.trim());
    if (nameless) {
      mark(nameless.name, tr("Give the field a name."));
      return nameless.name.focus();
    }
    try {
      again(await call<Contact>("PATCH", path, { name: name.value, fields: changes(contact.fields, lines) }));
      document.getElementById("contact-saved")!.textContent = tr("Saved.");
    } catch (error) {
      report.refused(error, { name, fields });
    }
  };
  const saved = h("span", { class: "hint", role: "status", id: "contact-saved" });
  const form = h("form", { onsubmit: submit },
    labelled(tr("Name"), name, tr("What your team calls this contact. The inbox shows it too.")), fields,
    h("div", { class: "buttons" }, add, h("button", { class: "button small main", type: "submit" }, tr("Save")), saved, ...report.nodes));
  return section(tr("About"), said(contact), form);
}
