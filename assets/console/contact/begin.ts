// The first message of a conversation that the team begins.

import { call, sessionPath } from "../net/api";
import { me } from "../state/me";
import { h } from "../ui/dom";
import { tr } from "../ui/texts";
import { randomId } from "../../shared/random";

export interface Beginning {
  send: HTMLButtonElement;
  wrong: HTMLElement;
  // begin writes at a path and opens the conversation: one, however often it is sent.
  begin(path: string, content: string): Promise<void>;
}

// beginning makes what a form for such a message needs; begun is called before its conversation opens.
export function beginning(begun?: () => void): Beginning {
  const clientId = randomId();
  const send = h("button", { class: "button small main", type: "submit" }, tr("Send"));
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const begin = async (path: string, content: string): Promise<void> => {
    send.disabled = true;
    try {
      const body = { content, clientId, ...(me && { operatorName: me }) };
      const { id } = await call<{ id: string }>("POST", path, body);
      begun?.();
      location.hash = "#" + sessionPath(id);
    } catch (error) {
      wrong.textContent = tr("Not sent: {reason}", { reason: (error as Error).message + "." });
      wrong.hidden = false;
    }
    send.disabled = false;
  };
  return { send, wrong, begin };
}
