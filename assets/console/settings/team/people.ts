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

export function personRow(p: Person, team: Team): HTMLElement {
  const names = p.platformNames.map((n) => platformName(n.bridge) + " " + n.name).join(", ");
  const changeRole = (e: Event): void =>
    void team.done(call("PATCH", "/people/" + p.id, { role: (e.target as HTMLSelectElement).value }), "Role not changed");
  return h("li", { class: "member" },
    h("img", { class: "member-face", src: p.avatar, alt: "", width: 40, height: 40 }),
    h("div", { class: "member-text" }, h("b", { dir: "auto" }, p.name), p.id === myId && h("span", { class: "hint" }, " (you)"),
      h("div", { class: "hint" }, [p.email, names, several() && p.sites && "only " + sitesOf(p)].filter(Boolean).join(" · "))),
    roleSelect(p.role, "Role of " + p.name, changeRole),
    h("div", { class: "buttons" },
      button("Names…", () => void showNames(p, team), "Names of " + p.name + " on platforms"),
      several() && button("Websites…", () => showSites(p, team), "Websites of " + p.name),
      button("Access…", () => showAccess(p), "Access of " + p.name),
      button("New password…", () => void reset(p, team), "New password for " + p.name),
      p.id !== myId &&
        h("button", { class: "button small danger-text", onclick: () => void remove(p, team),
          "aria-label": "Remove " + p.name }, "Remove…")));
}

async function remove(p: Person, team: Team): Promise<void> {
  const question = "Remove " + p.name + " from the team? All of " + p.name + "’s devices are signed out at once. " +
    "Messages stay, and so do keys made for programs.";
  if (await ask(question, "Remove")) await team.done(call("DELETE", "/people/" + p.id), "Not removed");
}

async function reset(p: Person, team: Team): Promise<void> {
  const link = await attempt(call<Link>("POST", "/people/" + p.id + "/reset"), "No link was made");
  if (link) team.showLink(link, "A new password for " + p.name);
  await team.refresh();
}

// showNames edits what a person is called on the platforms.
async function showNames(p: Person, team: Team): Promise<void> {
  const said = feedback();
  const platforms = await kinds();
  const members = platforms.filter((kind) => kind.member).map((kind) => ", on " + kind.title + " " + kind.member).join("");
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
  const dialog = h("dialog", { class: "ask", "aria-label": "Names of " + p.name },
    h("form", { method: "dialog", onsubmit: saveNames }, h("h2", {}, p.name + " on other platforms"),
      h("p", { class: "hint" },
        "Answers from these accounts count as those of " + p.name +
          ". A user name or the platform’s id" + members + "; several with commas. Display names do not count: " +
          "anybody can take them."),
      ...fields.map(([bridge, field]) => labelled(platformName(bridge), field)), ...said.nodes,
      h("div", { class: "ask-row" }, h("button", { class: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { type: "submit", class: "button main" }, "Save"))));
  openDialog(dialog);
}

// showAccess shows how somebody gets in, and ends it.
function showAccess(p: Person): void {
  const places = signIns(p.id);
  const keys = passkeys(p.id, false);
  const steps = twoStepOf(p.id, p.name);
  const endAll = async (): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins?person=" + encodeURIComponent(p.id)), "Not signed out");
    await places.load();
  };
  const dialog = h("dialog", { class: "ask access", "aria-label": "Access of " + p.name },
    h("h2", {}, "Where " + p.name + " is signed in"), places.node,
    button("Sign out everywhere", () => void endAll()), h("h2", {}, "Passkeys"), keys.node,
    p.id !== myId && h("h2", {}, "Two-step sign-in"), p.id !== myId && steps.node,
    h("div", { class: "ask-row" }, h("button", { class: "button main", onclick: () => dialog.close() }, "Close")));
  openDialog(dialog);
  void places.load();
  void keys.load();
  void steps.load();
}
