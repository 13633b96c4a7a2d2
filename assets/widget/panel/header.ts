// header.ts says whom the visitor talks to and whether somebody is there.

import { CROSS, h, iconButton, set } from "../ui/dom";
import { face, pictureOf } from "../chat/face";
import { fill, saying, t } from "../text/strings";
import { backOf, replyIn } from "../text/time";
import type { State } from "../types";

export interface Header {
  node: HTMLElement;
  update(state: State): void;
}

/** createHeader has the only close button that phones show. */
export function createHeader(close: () => void, more: (button: HTMLElement) => void, apiUrl: string): Header {
  let avatar = face("");
  const name = h("h2", { id: "title" });
  const presence = h("p", { class: "presence" });
  let picture = "";
  const button = iconButton(t.close, CROSS, close, "close");
  const menu = iconButton(t.more, "M5 12h.01M12 12h.01M19 12h.01", () => more(menu), "more");
  set(menu, "aria-haspopup", "menu");
  return {
    node: h("div", { class: "head", part: "header" }, avatar, h("div", { class: "who" }, name, presence), menu, button),
    update(state) {
      const team = saying(state, "operatorName");
      // Once somebody has joined, it is that person.
      const joined = state.messages.findLast((m) => m.sender === "operator" && m.operatorName);
      const operatorName = joined?.operatorName || team;
      const operatorAvatar = pictureOf(joined?.operatorId, operatorName, team, state.config.operatorAvatar, apiUrl);
      name.textContent = operatorName || t.chat;
      presence.textContent = words(state);
      presence.classList.toggle("on", state.operatorOnline && known(state));
      const wanted = `${operatorAvatar}|${operatorName}`;
      if (wanted === picture) return;
      picture = wanted;
      const drawn = face(operatorName || t.chat, operatorAvatar);
      avatar.replaceWith(drawn);
      avatar = drawn;
    },
  };
}

/** known reports whether it is known now who is there. */
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
