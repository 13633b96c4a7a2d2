// The address of one message, for colleagues. Loaded when the first is copied.

import { set } from "../state/store";
import type { Message } from "../types";
import { tr } from "../ui/texts";

// copyLink copies a message's address. Browsers allow that over https only: elsewhere the address bar gets it.
export async function copyLink({ sessionId, id }: Message): Promise<void> {
  const place = "#/sessions/" + encodeURIComponent(sessionId) + "/" + encodeURIComponent(id);
  const copied = await navigator.clipboard?.writeText(location.origin + "/console" + place).then(() => true, () => false);
  if (!copied) history.replaceState(null, "", place);
  set({ answer: copied ? tr("The link to this message is copied.") : tr("The link to this message is in the address bar.") });
}
