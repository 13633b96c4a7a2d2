// When a person gets e-mails about visitors: one choice for all websites, and others for some of them.

import { h } from "../ui/dom";
import { onPreferences, type MailWish, type Preferences } from "../notify/preferences";
import { several } from "../state/sites";
import { state, subscribe } from "../state/store";
import { saving } from "./preferences";
import { labelled, section } from "./settings";
import { tr } from "../ui/texts";

const choices = [["never", tr("Never")], ["now", tr("At once")], ["unanswered", tr("When nobody has answered")],
  ["daily", tr("Once a day")]];

interface WishField {
  node: HTMLElement;
  show(wish: MailWish | undefined): void;
}

// wishField shows a wish and calls save with the next one, undefined for that of all websites.
function wishField(label: string, likeAll: boolean, save: (wish: MailWish | undefined) => void): WishField {
  const when = h("select", { class: "input", onchange: () => changed() },
    ...[...(likeAll ? [["", tr("As for all websites")]] : []), ...choices].map(([value, text]) => h("option", { value }, text)));
  const minutes = h("input", { class: "input", type: "number", min: 1, max: 1440, step: 1, inputmode: "numeric",
    onchange: () => changed() });
  const waiting = labelled(tr("Minutes without an answer"), minutes);
  const draw = (): void => void (waiting.hidden = when.value !== "unanswered");
  const changed = (): void => {
    draw();
    save(when.value ? { when: when.value, ...(when.value === "unanswered" && { minutes: Number(minutes.value) || 15 }) } : undefined);
  };
  return {
    node: h("div", {}, labelled(label, when), waiting),
    show(wish) {
      when.value = wish?.when ?? (likeAll ? "" : "never");
      minutes.value = String(wish?.minutes ?? 15);
      draw();
    },
  };
}

export function mailSection(): HTMLElement {
  const { said, save } = saving();
  let chosen: Preferences | undefined;
  const all = wishField(tr("Send me e-mails"), false, (mail) => void save({ mail: mail! }));
  const at = h("input", { class: "input", type: "time", onchange: () => void save({ dailyAt: at.value }) });
  const time = labelled(tr("At"), at, tr("In the time zone of the business hours."));
  const own = h("div", {});
  const ofSite = (id: string, name: string): HTMLElement => {
    const field = wishField(name, true, (mail) => {
      const { [id]: _, ...others } = chosen?.mailSites ?? {};
      void save({ mailSites: mail ? { ...others, [id]: mail } : others });
    });
    field.show(chosen?.mailSites?.[id]);
    return field.node;
  };
  const draw = (): void => {
    all.show(chosen?.mail);
    at.value = chosen?.dailyAt || "08:00";
    time.hidden = ![chosen?.mail, ...Object.values(chosen?.mailSites ?? {})].some((wish) => wish?.when === "daily");
    own.replaceChildren(...(several() ? state.sites.map((site) => ofSite(site.id, site.name)) : []));
  };
  onPreferences((p) => {
    chosen = p;
    draw();
  });
  subscribe((now, before) => now.sites !== before.sites && draw());
  return section(tr("E-mails to you"),
    h("p", { class: "hint" },
      tr("About visitors’ messages that nobody has read or answered. If you are notified of everything, they are about all " +
        "conversations, otherwise about yours and those that nobody has taken. Your answer to such an e-mail goes " +
        "to the visitor, if relay reads a mailbox. This needs a mail server: see E-mail.")),
    all.node, own, time, said);
}
