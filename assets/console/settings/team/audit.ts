// The audit list: who did what and when.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import { fullTime } from "../../ui/format";
import { attempt } from "../../state/store";
import { button, labelled, section } from "../settings";

interface Entry {
  at: string;
  name: string;
  action: string;
  target?: string;
  detail?: string;
  address?: string;
  count: number;
}

const words: Record<string, string> = {
  sign_in: "Signed in", sign_in_failed: "Failed sign-ins", sign_in_ended: "Ended a sign-in", invited: "Invited",
  invitation_withdrawn: "Withdrew an invitation", joined: "Joined", person_changed: "Changed a person",
  role_changed: "Changed a role", person_removed: "Removed a person", password_reset: "Reset a password",
  password_changed: "Changed the password", passkey_added: "Added a passkey", passkey_removed: "Removed a passkey",
  account_linked: "Linked an account to single sign-on",
  passkey_refused: "Refused a passkey", passkey_renamed: "Renamed a passkey",
  two_step_on: "Turned two-step sign-in on", two_step_off: "Turned two-step sign-in off",
  recovery_codes_made: "Made new recovery codes", code_refused: "Refused a code",
  device_added: "Turned notifications on", device_removed: "Turned notifications off",
  settings_changed: "Changed settings", key_rotated: "Rotated a key", key_made: "Made a key",
  key_ended: "Ended a key", key_used: "Wrote with a key", hook_added: "Added a hook", hook_changed: "Changed a hook",
  hook_ended: "Deleted a hook", hook_used: "Wrote by a hook", conversation_erased: "Deleted a conversation",
  visitor_erased: "Deleted a visitor", visitor_exported: "Exported a visitor", exported: "Exported",
  backup_downloaded: "Downloaded a backup", backup_made: "Made a backup", visitor_blocked: "Blocked a visitor",
  visitor_unblocked: "Unblocked a visitor", message_edited: "Changed somebody else’s message",
  message_deleted: "Deleted somebody else’s message", channel_connected: "Connected a channel",
  channel_disconnected: "Disconnected a channel", knowledge_added: "Added to the knowledge",
  knowledge_moved: "Gave knowledge to another website",
  knowledge_refreshed: "Had knowledge read again", knowledge_removed: "Removed knowledge",
  ai_rehearsed: "Rehearsed the AI", ai_judged: "Judged a rehearsed answer", ai_topic_changed: "Changed a topic of the AI",
  ai_topic_answers: "Let the AI answer a topic by itself", ai_topic_fell: "Took a topic from the AI",
  ai_action_changed: "Changed an action of the AI", ai_act: "Decided what the AI may do",
  question_removed: "Removed an open question", saved_answer_changed: "Changed a saved answer",
  saved_answer_removed: "Removed a saved answer", deliveries_retried: "Retried deliveries",
  deliveries_discarded: "Discarded deliveries",
  contact_changed: "Changed a contact",
  site_added: "Added a site",
  site_changed: "Changed a site",
  site_erased: "Erased a site",
  site_exported: "Exported a site",
  site_imported: "Imported a site",
};

function row(e: Entry): HTMLElement {
  const about = [e.target, e.detail].filter(Boolean).join(" · ");
  const times = e.count > 1 ? " (" + e.count + " times)" : "";
  return h("tr", {}, h("td", {}, h("time", { datetime: e.at }, fullTime(e.at))), h("td", { dir: "auto" }, e.name || "–"),
    h("td", {}, (words[e.action] ?? e.action) + times), h("td", { dir: "auto" }, about), h("td", {}, e.address));
}

export function auditSection(): { node: HTMLElement; load(): Promise<void> } {
  const body = h("tbody", {});
  const note = h("p", { class: "hint", role: "status" });
  const more = button("Show older ones", () => void load(cursor));
  const action = h("select", { class: "input", onchange: () => void load() }, h("option", { value: "" }, "Everything"),
    ...Object.entries(words).map(([value, text]) => h("option", { value }, text)));
  let cursor = "";
  const load = async (from = ""): Promise<void> => {
    const query = new URLSearchParams({ limit: "30" });
    if (from) query.set("cursor", from);
    if (action.value) query.set("action", action.value);
    const page = await attempt(call<{ entries: Entry[]; nextCursor?: string }>("GET", "/audit?" + query),
      "The audit log could not be loaded");
    if (!page) return;
    if (!from) body.replaceChildren();
    body.append(...page.entries.map(row));
    cursor = page.nextCursor ?? "";
    more.hidden = !cursor;
    note.textContent = body.childElementCount ? "" : "Nothing yet.";
  };
  more.hidden = true;
  const head = ["When", "Who", "What", "About", "From"].map((text) => h("th", { scope: "col" }, text));
  const table = h("div", { class: "audit", tabindex: 0, role: "region", "aria-label": "Entries of the audit log" },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), body));
  const about = h("p", { class: "hint" }, "Important actions from the last year.");
  return { node: section("Audit log", about, labelled("Show", action), table, note, more), load: () => load() };
}
