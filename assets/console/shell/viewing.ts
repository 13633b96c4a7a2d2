// Who else has a conversation on the screen, or writes in it: a line above the composer, and faces in the list.

import { call } from "../net/api";
import { face } from "../ui/avatar";
import { byId, h } from "../ui/dom";
import { me } from "../state/me";
import { changed, set, state, subscribe } from "../state/store";
import type { State, View } from "../state/store";
import { tr } from "../ui/texts";

interface Viewing {
  sessionId: string;
  operatorName: string;
}

// Consoles say it every minute; relay counts it for a minute and a half.
const shownFor = 95_000;

const timers = new Map<string, number>();
const line = h("p", { class: "others", id: "others", role: "status", hidden: true });

function put({ sessionId: id, operatorName: name }: Viewing, there: boolean): void {
  if (name === me) return;
  const key = id + " " + name;
  clearTimeout(timers.get(key));
  timers.delete(key);
  if (there) timers.set(key, setTimeout(() => put({ sessionId: id, operatorName: name }, false), shownFor));
  const { [id]: before = [], ...rest } = state.viewers;
  const others = before.filter((other) => other !== name);
  const names = there ? [...others, name].sort() : others;
  set({ viewers: names.length ? { ...rest, [id]: names } : rest });
}

// load asks who is there when the stream begins: it says only what changes.
async function load(): Promise<void> {
  const answer = await call<{ viewing?: Viewing[] }>("GET", "/operator/status").catch(() => undefined);
  if (!answer) return;
  for (const timer of timers.values()) clearTimeout(timer);
  timers.clear();
  set({ viewers: {} });
  for (const one of answer.viewing ?? []) put(one, true);
}

const listed = (names: readonly string[]): string =>
  names.length > 1 ? tr("{names} and {last}", { names: names.slice(0, -1).join(", "), last: names.at(-1) }) : names[0]!;

function draw({ viewers, typing, selected }: State): void {
  const writer = typing[selected];
  const names = writer ? [writer] : viewers[selected] ?? [];
  line.hidden = !names.length;
  if (!names.length) return line.replaceChildren();
  const name = listed(names);
  const what = writer ? tr("{name} is writing…", { name }) : names.length > 1 ? tr("{names} are looking at this", { names: name })
    : tr("{name} is looking at this", { name });
  line.classList.toggle("writing", !!writer);
  line.replaceChildren(...names.slice(0, 4).map((name) => face(name, name, "tiny")), h("span", {}, what));
}

const view: View = (now, before) => {
  if (changed(now, before, "viewers", "typing", "selected")) draw(now);
};

export function wireViewing(): void {
  byId("compose").before(line);
  subscribe(view);
  document.addEventListener("relay-viewing", (e) => {
    const { detail } = e as CustomEvent<Viewing & { active: boolean }>;
    put(detail, detail.active);
  });
  document.addEventListener("relay-connected", load);
  void load();
}
