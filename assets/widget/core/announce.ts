// announce.ts passes what came in over the stream to the page, as API events.

import type { Message, Shell, State } from "../types";

type Data = Record<string, unknown>;

/** announce compares with the state before, so that a repeat is not announced. It returns a message that is news. */
export function announce({ emit }: Shell, before: State, name: string, data: Data): Message | undefined {
  const message = data as unknown as Message;
  switch (name) {
    case "message":
      if (message.sender !== "visitor" && !before.messages.some((m) => m.id === message.id)) {
        emit("message", message);
        return message;
      }
      break;
    case "message_edited":
    case "message_deleted":
    case "typing":
      // To the page, message_edited is messageEdited.
      emit(name.replace(/_./, (s) => s[1]!.toUpperCase()), data);
      break;
    case "connected":
    case "operator_status": {
      const online = !!(data.operatorOnline ?? data.online);
      if (online !== before.operatorOnline) emit("presence", { online });
      break;
    }
    case "custom_event":
      emit("event:" + data.name, data.data);
  }
  return undefined;
}
