// The people of the team: their roles, what they are called on platforms, and how they get in.

import { call } from "../../net/api";
import { ask } from "../../ui/ask";
import { h } from "../../ui/dom";
import { platformName } from "../../ui/format";
import { myId } from "../../state/me";
import { several } from "../../state/sites";
import { attempt } from "../../state/store";
import { passkeys, signIns } from "../access";
import { kinds } from "../kinds";
import { button, feedback, labelled } from "../settings";
import { twoStepOf } from "../twostep";
import { openDialog } from "./dialog";
import { roleSelect } from "./roles";
import { showSites, sitesOf } from "./sites";
import type { Link, Person, Team } from "./types";
import { tr } from "../../ui/texts";

export function personRow(p: Person, team: Team): HTMLElement {
  const names = p.platformNames.map((n) => platformName(n.bridge) + " " + n.name).join(", ");
  const changeRole = (e: Event): void =>
    void team.done(call("PATCH", "/people/" + p.id, { role: (e.target as HTMLSelectElement).value }), tr("Role not changed"));
  return h("li", { class: "member" },
    h("img", { class: "member-face", src: p.avatar, alt: "", width: 40, height: 40 }),
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, p.name), p.id === myId && h("span", { class: "hint" }, " " + tr("(you)")),
      h("div", { class: "hint" }, [p.email, names, several() && p.sites &&
        tr("only {sites}", { sites: sitesOf(p) })].filter(Boolean).join(" · "))),
    roleSelect(p.role, tr("Role of {name}", { name: p.name }), changeRole),
    h("div", { class: "buttons" },
      button(tr("Names…"), () => void showNames(p, team), tr("Names of {name} on platforms", { name: p.name })),
      several() && button(tr("Websites…"), () => showSites(p, team), tr("Websites of {name}", { name: p.name })),
      button(tr("Access…"), () => showAccess(p), tr("Access of {name}", { name: p.name })),
      button(tr("New password…"), () => void reset(p, team), tr("New password for {name}", { name: p.name })),
      p.id !== myId &&
        h("button", { class: "button small danger-text", onclick: () => void remove(p, team),
          "aria-label": tr("Remove {name}", { name: p.name }) }, tr("Remove…"))));
}

async function remove(p: Person, team: Team): Promise<void> {
  const question = tr("Remove {name} from the team? All of {name}’s devices are signed out at once. Messages stay, " +
    "and so do keys made for programs.", { name: p.name, name2: p.name });
  if (await ask(question, tr("Remove"))) await team.done(call("DELETE", "/people/" + p.id), tr("Not removed"));
}

async function reset(p: Person, team: Team): Promise<void> {
  const link = await attempt(call<Link>("POST", "/people/" + p.id + "/reset"), tr("No link was made"));
  if (link) team.showLink(link, tr("A new password for {name}", { name: p.name }));
  await team.refresh();
}

// showNames edits what a person is called on the platforms.
async function showNames(p: Person, team: Team): Promise<void> {
  const said = feedback();
  const platforms = await kinds();
  const members = platforms.filter((kind) => kind.member).map((kind) => ", " +
    tr("on {title} {member}", { title: kind.title, member: kind.member })).join("");
  const fields = platforms.map(({ name: bridge }) => {
    const value = p.platformNames.filter((n) => n.bridge === bridge).map((n) => n.name).join(", ");
    return [bridge, h("input", { class: "input", value, autocomplete: "off", spellcheck: "false" })] as const;
  });
  const saveNames = async (e: Event): Promise<void> => {
    e.preventDefault();
    const platformNames = fields.flatMap(([bridge, field]) =>
      field.value.split(",").map((name) => name.trim()).filter(Boolean).map((name) => ({ bridge, name })));
    try {
      await call("PATCH", "/people/" + p.id, { platformNames });
      dialog.close();
      await team.refresh();
    } catch (error) {
      said.refused(error);
    }
  };
  const dialog = h("dialog", { class: "ask", "aria-label": tr("Names of {name}", { name: p.name }) },
    h("form", { method: "dialog", onsubmit: saveNames }, h("h2", {}, tr("{name} on other platforms", { name: p.name })),
      h("p", { class: "hint" },
        tr("Answers from these accounts count as those of {name}. A user name or the platform’s " +
          "id{members}; several with commas. Display names do not count: anybody can take them.", { name: p.name, members })),
      ...fields.map(([bridge, field]) => labelled(platformName(bridge), field)), ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { class: "button", onclick: () => dialog.close() }, tr("Cancel")),
        h("button", { type: "submit", class: "button main" }, tr("Save")))));
  openDialog(dialog);
}

// showAccess shows how somebody gets in, and ends it.
function showAccess(p: Person): void {
  const places = signIns(p.id);
  const keys = passkeys(p.id, false);
  const steps = twoStepOf(p.id, p.name);
  const endAll = async (): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins?person=" + encodeURIComponent(p.id)), tr("Not signed out"));
    await places.load();
  };
  const dialog = h("dialog", { class: "ask access", "aria-label": tr("Access of {name}", { name: p.name }) },
    h("h2", {}, tr("Where {name} is signed in", { name: p.name })), places.node,
    button(tr("Sign out everywhere"), () => void endAll()), h("h2", {}, tr("Passkeys")), keys.node,
    p.id !== myId && h("h2", {}, tr("Two-step sign-in")), p.id !== myId && steps.node,
    h("div", { class: "ask-row" }, h("button", { class: "button main", onclick: () => dialog.close() }, tr("Close"))));
  openDialog(dialog);
  void places.load();
  void keys.load();
  void steps.load();
}
