// seen.ts is loaded where the team sees what a visitor is writing: it says so below the field, and
// only then sends what stands there.

import { seen as english } from "../lang/en.json";
import css from "./seen.css";
import { h, sheet } from "../ui/dom";
import type { Composer } from "./composer";
import type { Core } from "../types";

/** What is written is sent at most this often, and of it the end. */
const EVERY = 2_000;
const MOST = 500;

export function create(core: Core, composer: Composer) {
  const { store } = core;
  const { node, field } = composer;
  let timer = 0;
  let said = 0;
  const note = h("p", { class: "seen" }, core.words("seen", english).seen);
  const wanted = () => !!store.state.config.typingPreview;
  const say = () => {
    timer = 0;
    const text = field.value.trim();
    // Before the first message there is no conversation that could show it; what is changed has been sent.
    if (!text || composer.mode?.save || !wanted() || !store.state.messages.length) return;
    said = Date.now();
    core.post("typing", { active: true, text: text.slice(-2 * MOST) }).catch(() => {});
  };
  node.append(note);
  field.addEventListener("input", () => {
    timer ||= window.setTimeout(say, said + EVERY - Date.now());
  });
  store.subscribe(() => {
    note.hidden = !wanted();
  });
  return { styles: sheet(css) };
}
