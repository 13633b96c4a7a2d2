// Team: the people, the invitations that are open, the keys of programs, and who did what.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import { myId } from "../../state/me";
import { attempt } from "../../state/store";
import { everyDevice, signIns } from "../access";
import { keysPart } from "../keys";
import type { Page } from "../page";
import { everywhere, section } from "../settings";
import { auditSection } from "./audit";
import { invitationForm, invitationRow, linkCard } from "./invitations";
import { personRow } from "./people";
import type { Invitation, Person, Team } from "./types";
import { mixed } from "../../ui/sentences";
import { tr } from "../../ui/texts";

// How often it is asked whether an e-mail is out.
const sending = 2000;

// members is the lists of people and invitations, with a link that was just made.
function members(): { team: Team; list: HTMLElement; open: HTMLElement; made: HTMLElement } {
  const list = h("ul", { class: "members" });
  const open = h("ul", { class: "members" });
  const made = h("div", { "aria-live": "polite" });
  let again = 0;
  const team: Team = {
    async refresh() {
      const both = await attempt(Promise.all([
        call<{ people: Person[] }>("GET", "/people"), call<{ invitations: Invitation[] }>("GET", "/invitations"),
      ]), tr("The team could not be loaded"));
      if (!both) return;
      const [{ people }, { invitations }] = both;
      list.replaceChildren(...(people.length
        ? people.map((p) => personRow(p, team))
        : [h("li", { class: "hint" }, tr("Nobody has an account yet: everybody signs in with the secret key."))]));
      open.replaceChildren(...(invitations.length
        ? invitations.map((i) => invitationRow(i, people, team))
        : [h("li", { class: "hint" }, tr("No open invitations."))]));
      clearTimeout(again);
      const waits = invitations.some((i) => i.mailed === "waiting") && location.hash === "#/team";
      if (waits) again = setTimeout(() => void team.refresh(), sending);
    },
    async done(work, what) {
      await attempt(work, what);
      await team.refresh();
    },
    showLink(link, title) {
      const card = linkCard(link, title);
      made.replaceChildren(card.node);
      card.address.focus();
    },
  };
  return { team, list, open, made };
}

export function teamPage(): Page {
  const { team, list, open, made } = members();
  const invite = invitationForm(team);
  const withKey = signIns("key");
  const devices = everyDevice();
  const keys = keysPart(false);
  const audit = auditSection();
  return {
    node: h("div", {},
      section(tr("People"), list,
        myId ? "" : h("p", { class: "hint" }, ...mixed("You use the secret key. {link} so that colleagues see who answers.",
          { link: h("a", { href: "#/account" }, tr("Create your own account")) }))),
      section(tr("Invite somebody"), invite.node, made, h("h3", {}, tr("Open invitations")), open),
      everywhere && section(tr("Signed in with the secret key"),
        h("p", { class: "hint" }, tr("A new secret key ends all of these.")), withKey.node),
      everywhere && section(tr("Notified devices"),
        h("p", { class: "hint" }, tr("Notifications end with the sign-in that turned them on.")), devices.node),
      section(tr("Programs and keys"), keys.node), audit.node),
    opened() {
      invite.redraw();
      void team.refresh();
      if (everywhere) {
        void withKey.load();
        void devices.load();
      }
      void keys.load();
      void audit.load();
    },
  };
}
