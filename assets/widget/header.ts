// header.ts says whom the visitor talks to and whether somebody is there.

import { CROSS, h, iconButton } from "./dom";
import { fill, saying, t } from "./strings";
import { backOf, replyIn } from "./time";
import type { State } from "./types";

export interface Header {
  node: HTMLElement;
  update(state: State): void;
}

/** createHeader has the only close button that phones show. */
export function createHeader(close: () => void): Header {
  const avatar = h("span", { class: "avatar", "aria-hidden": "true" });
  const name = h("h2", { id: "title" });
  const presence = h("p", { class: "presence" });
  let picture = "";
  const button = iconButton(t.close, CROSS, close, "close");
  return {
    node: h("div", { class: "head", part: "header" }, avatar, h("div", { class: "who" }, name, presence), button),
    update(state) {
      const { operatorAvatar } = state.config;
      const operatorName = saying(state, "operatorName");
      name.textContent = operatorName || t.chat;
      presence.textContent = words(state);
      presence.classList.toggle("on", state.operatorOnline && known(state));
      const wanted = `${operatorAvatar}|${operatorName}`;
      if (wanted === picture) return;
      picture = wanted;
      const letter = [...(operatorName || t.chat)][0]!.toUpperCase();
      avatar.replaceChildren(letter);
      if (!operatorAvatar) return;
      const onerror = () => avatar.replaceChildren(letter);
      avatar.replaceChildren(h("img", { src: operatorAvatar, alt: "", onerror }));
    },
  };
}

/** known tells whether who is there is known now. */
const known = (s: State) => !s.stop && s.ready && s.connection !== "offline";

function words(state: State): string {
  const { operatorOnline, backAt, replySeconds } = state;
  if (state.stop) return "";
  if (!known(state)) return t.connecting;
  if (operatorOnline) return replySeconds ? fill(t.replies, { when: replyIn(replySeconds) }) : t.online;
  if (backAt && Date.parse(backAt) > Date.now()) return backOf(backAt);
  // The log says it in the team's words, if it has some.
  return saying(state, "offlineMessage") ? "" : t.away;
}
