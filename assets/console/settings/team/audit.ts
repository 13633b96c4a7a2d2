// The audit list: who did what and when.

import { call } from "../../net/api";
import { h } from "../../ui/dom";
import { fullTime } from "../../ui/format";
import { attempt } from "../../state/store";
import { button, labelled, section } from "../settings";
import { tr } from "../../ui/texts";

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
  sign_in: tr("Signed in"), sign_in_failed: tr("Failed sign-ins"), sign_in_ended: tr("Ended a sign-in"), invited: tr("Invited"),
  invitation_withdrawn: tr("Withdrew an invitation"), joined: tr("Joined"), person_changed: tr("Changed a person"),
  role_changed: tr("Changed a role"), person_removed: tr("Removed a person"), password_reset: tr("Reset a password"),
  password_changed: tr("Changed the password"), passkey_added: tr("Added a passkey"), passkey_removed: tr("Removed a passkey"),
  account_linked: tr("Linked an account to single sign-on"),
  passkey_refused: tr("Refused a passkey"), passkey_renamed: tr("Renamed a passkey"),
  two_step_on: tr("Turned two-step sign-in on"), two_step_off: tr("Turned two-step sign-in off"),
  recovery_codes_made: tr("Made new recovery codes"), code_refused: tr("Refused a code"),
  device_added: tr("Turned notifications on"), device_removed: tr("Turned notifications off"),
  settings_changed: tr("Changed settings"), key_rotated: tr("Rotated a key"), key_made: tr("Made a key"),
  key_ended: tr("Ended a key"), key_used: tr("Wrote with a key"), hook_added: tr("Added a hook"), hook_changed: tr("Changed a hook"),
  hook_ended: tr("Deleted a hook"), hook_used: tr("Wrote by a hook"), conversation_erased: tr("Deleted a conversation"),
  visitor_erased: tr("Deleted a visitor"), visitor_exported: tr("Exported a visitor"), exported: tr("Exported"),
  backup_downloaded: tr("Downloaded a backup"), backup_made: tr("Made a backup"), visitor_blocked: tr("Blocked a visitor"),
  visitor_unblocked: tr("Unblocked a visitor"), message_edited: tr("Changed somebody else’s message"),
  message_deleted: tr("Deleted somebody else’s message"), channel_connected: tr("Connected a channel"),
  channel_disconnected: tr("Disconnected a channel"), knowledge_added: tr("Added to the knowledge"),
  knowledge_moved: tr("Gave knowledge to another website"),
  knowledge_refreshed: tr("Had knowledge read again"), knowledge_removed: tr("Removed knowledge"),
  ai_rehearsed: tr("Rehearsed the AI"), ai_judged: tr("Judged a rehearsed answer"), ai_topic_changed: tr("Changed a topic of the AI"),
  ai_topic_answers: tr("Let the AI answer a topic by itself"), ai_topic_fell: tr("Took a topic from the AI"),
  ai_action_changed: tr("Changed an action of the AI"), ai_act: tr("Decided what the AI may do"),
  question_removed: tr("Removed an open question"), saved_answer_changed: tr("Changed a saved answer"),
  saved_answer_removed: tr("Removed a saved answer"), deliveries_retried: tr("Retried deliveries"),
  deliveries_discarded: tr("Discarded deliveries"),
  contact_changed: tr("Changed a contact"),
  conversations_merged: tr("Merged two conversations"), conversation_separated: tr("Separated merged conversations"),
  site_added: tr("Added a site"),
  site_changed: tr("Changed a site"),
  site_erased: tr("Erased a site"),
  site_exported: tr("Exported a site"),
  site_imported: tr("Imported a site"),
};

function row(e: Entry): HTMLElement {
  const about = [e.target, e.detail].filter(Boolean).join(" · ");
  const times = e.count > 1 ? " " + tr("({count} times)", { count: e.count }) : "";
  return h("tr", {}, h("td", {}, h("time", { datetime: e.at }, fullTime(e.at))), h("td", { dir: "auto" }, e.name || "–"),
    h("td", {}, (words[e.action] ?? e.action) + times), h("td", { dir: "auto" }, about), h("td", {}, e.address));
}

export function auditSection(): { node: HTMLElement; load(): Promise<void> } {
  const body = h("tbody", {});
  const note = h("p", { class: "hint", role: "status" });
  const more = button(tr("Show older ones"), () => void load(cursor));
  const action = h("select", { class: "input", onchange: () => void load() }, h("option", { value: "" }, tr("Everything")),
    ...Object.entries(words).map(([value, text]) => h("option", { value }, text)));
  let cursor = "";
  const load = async (from = ""): Promise<void> => {
    const query = new URLSearchParams({ limit: "30" });
    if (from) query.set("cursor", from);
    if (action.value) query.set("action", action.value);
    const page = await attempt(call<{ entries: Entry[]; nextCursor?: string }>("GET", "/audit?" + query),
      tr("The audit log could not be loaded"));
    if (!page) return;
    if (!from) body.replaceChildren();
    body.append(...page.entries.map(row));
    cursor = page.nextCursor ?? "";
    more.hidden = !cursor;
    note.textContent = body.childElementCount ? "" : tr("Nothing yet.");
  };
  more.hidden = true;
  const head = [tr("When"), tr("Who"), tr("What"), tr("About"), tr("From")].map((text) => h("th", { scope: "col" }, text));
  const table = h("div", { class: "audit", tabindex: 0, role: "region", "aria-label": tr("Entries of the audit log") },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), body));
  const about = h("p", { class: "hint" }, tr("Important actions from the last year."));
  return { node: section(tr("Audit log"), about, labelled(tr("Show"), action), table, note, more), load: () => load() };
}
