// Presence: the switch in the person's menu, who else has the console open, and reporting to relay that this operator is active.

import { call } from "../net/api";
import { byId, on, setText } from "../ui/dom";
import { clockTime } from "../ui/format";
import { me } from "../state/me";
import { attempt, set, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import type { Presence } from "../types";
import { tr } from "../ui/texts";

const reportEvery = 60_000;
const stays = 5 * 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel", "focus"];

let active = Date.now();
let reported = active;

function report(): void {
  reported = Date.now();
  call("POST", "/operator/activity", { ago: (reported - active) / 1000, viewing }).catch(() => (reported = 0));
}

// viewing is the conversation on the screen: nobody is notified of it.
let viewing = "";

function look(): void {
  const now = document.hasFocus() && document.visibilityState === "visible" && !state.page ? state.selected : "";
  if (now === viewing) return;
  viewing = now;
  report();
}

function acted(): void {
  active = Date.now();
  if (active - reported >= reportEvery) report();
}

// resume reports activity to a relay that was away and may have been restarted.
function resume(): void {
  if (Date.now() - active < stays) report();
}

const wishes: Record<Presence["mode"], boolean | null> = { automatic: null, online: true, away: false };

async function choose(mode: Presence["mode"]): Promise<void> {
  const before = state.presence;
  if (before) set({ presence: { ...before, mode, online: wishes[mode] ?? before.online } });
  if (!(await attempt(call("POST", "/operator/status", { online: wishes[mode] }), tr("Status not changed")))) set({ presence: before });
}

function names({ operators }: Presence): string {
  return operators.filter((o) => o.name !== me).map((o) => o.name + (o.active ? "" : " " + tr("(idle)"))).join(", ");
}

function explained({ online, mode, until, hoursEnd }: Presence): string {
  const seen = online ? tr("Visitors see: online") : tr("Visitors see: away");
  if (hoursEnd) return tr("{seen}, by business hours until {hoursEnd}.", { seen, hoursEnd: clockTime(hoursEnd) });
  if (mode === "automatic") return tr("{seen}, depending on whether operators are active here or on a chat platform.", { seen });
  return until ? tr("{seen} until {until}, then automatic again.", { seen, until: clockTime(until) })
    : tr("{seen}, until somebody changes it.", { seen });
}

function draw({ presence }: State): void {
  byId<HTMLFieldSetElement>("presence").disabled = !presence;
  if (!presence) return;
  byId<HTMLInputElement>("presence-" + presence.mode).checked = true;
  byId("presence-dot").classList.toggle("on", presence.online);
  setText("presence-word", presence.online ? tr("Online") : tr("Away"));
  setText("presence-why", explained(presence));
  const others = names(presence);
  setText("here", others && tr("Also here: {others}", { others }));
}

const view: View = (now, before) => {
  look();
  if (viewing && now.typing[viewing] === "" && Date.now() - reported >= reportEvery) report(); // who reads along moves nothing
  if (now.presence !== before.presence) draw(now);
};

export function wirePresence(): void {
  on("presence", "change", (e) => choose((e.target as HTMLInputElement).value as Presence["mode"]));
  subscribe(view);
  draw(state);
  look();
  document.addEventListener("relay-connected", resume);
  addEventListener("blur", look);
  document.addEventListener("visibilitychange", look);
  addEventListener("focus", look);
  for (const sign of signs) addEventListener(sign, acted, { capture: true, passive: true });
}
