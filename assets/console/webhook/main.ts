// The webhook's page, which the console loads when it is opened: where events are posted, and what the receiver says to a test event.

import { call } from "../api";
import { ask } from "../ask";
import { byId, h, on, setText } from "../dom";
import { sentence } from "../format";
import { attempt, changed, set, state, subscribe } from "../store";
import type { View } from "../store";
import type { Settings, WebhookTest } from "../types";
import { deliveriesView, followDeliveries, loadDeliveries, wireDeliveries } from "./deliveries";

const enabled = byId<HTMLInputElement>("hook-enabled");
const url = byId<HTMLInputElement>("hook-url");
const secret = byId<HTMLInputElement>("hook-secret");
const prefix = byId<HTMLInputElement>("hook-prefix");

// labels are the fields' names, where errors of the API have those of settings.
const labels: Record<string, [string, HTMLInputElement]> = {
  eventsWebhookUrl: ["The address", url],
  eventsWebhookSecret: ["The secret", secret],
  eventsWebhookHeaderPrefix: ["What headers begin with", prefix],
};

async function loadSettings(): Promise<void> {
  const settings = await attempt(call<Settings>("GET", "/settings"), "The settings could not be loaded");
  if (settings) adopt(settings);
}

// adopt takes settings over. What a receiver said under others is of no worth.
function adopt(settings: Settings): void {
  const same = [...Object.keys(labels), "eventsWebhookEnabled"].every((name) => settings[name as keyof Settings] === state.settings?.[name as keyof Settings]);
  set(same ? { settings } : { settings, webhookTest: null });
}

// patch is what the form would change.
function patch(): Record<string, unknown> {
  const now = state.settings;
  if (!now) return {};
  const change: Record<string, unknown> = {};
  const put = (name: keyof Settings, value: string): void => {
    if (value !== (now[name] ?? "")) change[name] = value || null;
  };
  put("eventsWebhookUrl", url.value.trim());
  put("eventsWebhookHeaderPrefix", prefix.value.trim());
  if (secret.value) change["eventsWebhookSecret"] = secret.value;
  if (enabled.checked !== now.eventsWebhookEnabled) change["eventsWebhookEnabled"] = enabled.checked;
  return change;
}

// fill puts what is stored into the form, but for what differs from before: that is being typed.
function fill(s: Settings, before: Settings | null): void {
  if (!before || enabled.checked === before.eventsWebhookEnabled) enabled.checked = s.eventsWebhookEnabled;
  if (!before || url.value === (before.eventsWebhookUrl ?? "")) url.value = s.eventsWebhookUrl ?? "";
  if (!before || prefix.value === before.eventsWebhookHeaderPrefix) prefix.value = s.eventsWebhookHeaderPrefix;
  byId("webhook-form").inert = false;
  secret.placeholder = s.eventsWebhookSecret ?? "None: not signed";
  const from = s.sources;
  setText("hook-url-from", from["eventsWebhookUrl"] === "environment" ? "Set by EVENTS_WEBHOOK_URL; what is saved here wins." : "");
  byId("hook-forget").hidden = from["eventsWebhookSecret"] !== "stored";
  if (secret.value) return;
  secret.type = "password";
  setText("hook-secret-hint", from["eventsWebhookSecret"] === "environment"
    ? "Set by EVENTS_WEBHOOK_SECRET; what is saved here wins."
    : "It signs every event, so that the receiver knows who sent it. It is not shown again. Best is one that relay makes: every library of Standard Webhooks takes it.");
}

// drawButtons follows what is typed.
function drawButtons(): void {
  const begin = prefix.value.trim() || "X-Service";
  setText("hook-prefix-hint", begin + "-Event and " + begin + "-Signature");
  setText("hook-test", Object.keys(patch()).length ? "Save and send test event" : "Send test event");
}

function typed(): void {
  drawButtons();
  setText("hook-said", "");
}

function problem(text: string): void {
  const setting = text.split(" ")[0] ?? "";
  const [label, field] = labels[setting] ?? [setting];
  for (const [, other] of Object.values(labels)) other.setAttribute("aria-invalid", String(other === field));
  setText("webhook-problem", label + text.slice(setting.length));
  byId("webhook-problem").hidden = !text;
  field?.focus();
}

// settle shows what was stored in the place of what was typed, unless more was typed meanwhile.
function settle(field: HTMLInputElement, name: "eventsWebhookUrl" | "eventsWebhookHeaderPrefix", change: Record<string, unknown>, now: Settings): void {
  if (name in change && field.value.trim() === (change[name] ?? "")) field.value = now[name] ?? "";
}

// save stores a change and tells whether it could.
async function save(change = patch()): Promise<boolean> {
  problem("");
  try {
    const settings = await call<Settings>("PATCH", "/settings", change);
    if (secret.value === change["eventsWebhookSecret"]) secret.value = "";
    settle(url, "eventsWebhookUrl", change, settings);
    settle(prefix, "eventsWebhookHeaderPrefix", change, settings);
    adopt(settings);
    return true;
  } catch (error) {
    problem((error as Error).message);
    return false;
  }
}

async function test(): Promise<void> {
  const button = byId<HTMLButtonElement>("hook-test");
  if (button.ariaDisabled === "true" || (Object.keys(patch()).length && !(await save()))) return;
  problem("");
  button.ariaDisabled = "true";
  setText("hook-said", "Waiting for the answer…");
  set({ webhookTest: null });
  try {
    set({ webhookTest: await call<WebhookTest>("POST", "/webhooks/test") });
  } catch (error) {
    problem((error as Error).message);
  }
  button.ariaDisabled = null;
  setText("hook-said", "");
}

async function forget(): Promise<void> {
  if (!(await ask("Remove the secret? Events are then not signed any more.", "Remove"))) return;
  if (await save({ eventsWebhookSecret: null })) url.focus();
}

// generate makes a secret that every library of Standard Webhooks takes, and shows it this once.
function generate(): void {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  secret.type = "text";
  secret.value = "whsec_" + btoa(String.fromCharCode(...bytes));
  setText("hook-secret-hint", "Copy it to the receiver now: once saved, it is not shown again.");
  typed();
  secret.select();
}

function drawAnswer(t: WebhookTest): Node[] {
  const said = sentence(t.error ?? "the receiver answered " + t.status);
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? "Delivered" : "Failed");
  const line = h("p", {}, tag, " " + said + ", after " + t.durationMs + " ms.");
  return t.body ? [line, h("pre", { tabindex: "0", "aria-label": "The beginning of the answer" }, t.body)] : [line];
}

const webhookView: View = (now, before) => {
  if (now.settings && changed(now, before, "settings")) {
    fill(now.settings, before.settings);
    drawButtons();
  }
  if (changed(now, before, "webhookTest")) byId("hook-answer").replaceChildren(...(now.webhookTest ? drawAnswer(now.webhookTest) : []));
  if (now.page !== "webhook") return;
  if (changed(now, before, "configs")) void loadSettings(); // changed elsewhere
  if (now.gaveUp) {
    set({ gaveUp: false });
    followDeliveries();
  }
};

// open reads what may have changed since the page was last looked at.
function open(): void {
  if (state.page !== "webhook") return;
  set({ webhookTest: null });
  void loadSettings();
  void loadDeliveries();
}

function wire(): void {
  on("webhook-form", "input", typed);
  on("webhook-form", "submit", async (e) => {
    e.preventDefault();
    if (await save()) setText("hook-said", "Saved.");
  });
  on("hook-test", "click", test);
  on("hook-generate", "click", generate);
  on("hook-forget", "click", forget);
}

subscribe(webhookView, deliveriesView);
wire();
wireDeliveries();
addEventListener("hashchange", open);
setInterval(() => state.page === "webhook" && followDeliveries(), 20_000);
open();
