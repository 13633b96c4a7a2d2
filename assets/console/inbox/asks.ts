// Which notes ask whether the AI may do something.

import type { Message } from "../types";

// asks tells them by the clientId that relay gives them.
export const asks = (m: Message): boolean => !!m.internal && m.sender === "ai" && !!m.clientId?.endsWith(".act") && !m.deletedAt;
