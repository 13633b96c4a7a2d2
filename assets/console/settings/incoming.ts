// Incoming hooks: addresses at which programs write into conversations.

import { call } from "../net/api";
import { ask } from "../ui/ask";
import { h } from "../ui/dom";
import { fullTime } from "../ui/format";
import { ofSite, siteMark } from "../state/sites";
import { attempt } from "../state/store";
import { asForm, input, member, type Part } from "./access";
import { wordBoxes } from "./hooks";
import { secretCard } from "./secretcard";
import { button, feedback, labelled } from "./settings";
import { tr } from "../ui/texts";

interface Incoming {
  id: string;
  site?: string;
  name: string;
  may: string[];
  signed: boolean;
  madeBy: string;
  createdAt: string;
  paused: boolean;
  usedAt?: string;
  url?: string;
  secret?: string;
}

const actions: readonly (readonly [string, string])[] = [
  ["message", tr("write to the visitor of a conversation")],
  ["note", tr("write notes that only the team sees")],
  ["tag", tr("add and remove tags")],
  ["open", tr("open a conversation with the owner of an e-mail address")],
];

// opened shows what relay never shows again.
const opened = (hook: Incoming): HTMLElement => secretCard(tr("The address of {name}", { name: hook.name }),
  [[tr("Address"), hook.url ?? ""], [tr("Secret"), hook.secret ?? ""]]);

function row(hook: Incoming, load: () => Promise<void>, show: (node: HTMLElement) => void): HTMLElement {
  const path = "/incoming-hooks/" + hook.id;
  const change = async (work: Promise<unknown>): Promise<void> => {
    await attempt(work, tr("Not changed"));
    await load();
  };
  const renew = async (): Promise<void> => {
    if (!(await ask(tr("Make a new address for “{name}”? The old one stops working at once.", { name: hook.name }),
      tr("New address")))) return;
    const made = await attempt(call<Incoming>("POST", path + "/token"), tr("Not changed"));
    if (made) show(opened(made));
  };
  const end = async (): Promise<void> => {
    const yes = await ask(tr("Delete the incoming hook “{name}”? Its address stops working at once.", { name: hook.name }),
      tr("Delete"));
    if (yes) await change(call("DELETE", path));
  };
  const pause = (): Promise<void> => change(call("PATCH", path, { paused: !hook.paused }));
  const of = { name: hook.name };
  const about = [hook.may.join(", "), hook.signed ? tr("signed") : tr("not signed"),
    tr("made by {name} on {time}", { name: hook.madeBy, time: fullTime(hook.createdAt) }),
    hook.usedAt ? tr("last used {time}", { time: fullTime(hook.usedAt) }) : tr("not used yet")].join(" · ");
  const item = member(hook.name, hook.paused ? " " + tr("(paused)") : "", about,
    button(tr("New address…"), () => void renew(), tr("New address of the incoming hook {name}", of)),
    button(hook.paused ? tr("Resume") : tr("Pause"), () => void pause(), hook.paused ? tr("Resume the incoming hook {name}", of)
      : tr("Pause the incoming hook {name}", of)),
    button(tr("Delete…"), () => void end(), tr("Delete the incoming hook {name}", of)));
  item.querySelector(".member-text")!.append(siteMark(hook.site) || "");
  return item;
}

// incomingPart lists the incoming hooks and adds new ones.
export function incomingPart(): Part {
  const list = h("ul", { class: "members", id: "incoming" });
  const made = h("div", { "aria-live": "polite" });
  const name = input({ maxlength: 80, autocomplete: "off" });
  const may = wordBoxes(tr("What it may do"), actions, []);
  const signed = h("input", { type: "checkbox" });
  may.node.append(h("label", { class: "check" }, signed, h("span", {}, tr("Each request must be signed with the hook’s secret"))));
  const load = async (): Promise<void> => {
    const found = await attempt(call<{ hooks: Incoming[] }>("GET", "/incoming-hooks" + ofSite()),
      tr("The incoming hooks could not be loaded"));
    if (!found) return;
    const rows = found.hooks.map((hook) => row(hook, load, (node) => made.replaceChildren(node)));
    list.replaceChildren(...(rows.length ? rows : [h("li", { class: "hint" }, tr("None yet."))]));
  };
  const add = async (): Promise<string> => {
    if (!may.value().length) throw new Error(tr("Tick what it may do"));
    const hook = await call<Incoming>("POST", "/incoming-hooks" + ofSite(), { name: name.value, may: may.value(), signed: signed.checked });
    name.value = "";
    may.clear();
    made.replaceChildren(opened(hook));
    await load();
    return "";
  };
  const form = asForm(feedback(), tr("Add an incoming hook"), { name }, add,
    labelled(tr("Name"), name, tr("Visitors see it as the name of who writes, unless a message says another.")), may.node);
  return { node: h("div", {}, list, form, made), load };
}
