// Confirming with the password or the secret key that the AI may be in one's own network.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { missing } from "../ui/fields";
import { myId } from "../state/me";
import { passwordField } from "./access";
import { feedback, labelled } from "./settings";
import { tr } from "../ui/texts";

// confirmHost resolves to true once an administrator has allowed a host.
export function confirmHost(url: string, host: string): Promise<boolean> {
  const said = feedback();
  const proof = passwordField("current-password");
  let allowed = false;
  const send = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (missing([[proof, myId ? tr("Type your password.") : tr("Paste the secret key.")]])) return;
    try {
      const isKey = !myId || proof.value.startsWith("sk_");
      await call("POST", "/ai/private-host", { url, [isKey ? "secretKey" : "currentPassword"]: proof.value.trim() });
      allowed = true;
      dialog.close();
    } catch (error) {
      said.refused(error, { secretKey: proof, currentPassword: proof });
    }
  };
  const dialog = h("dialog", { class: "ask", "aria-label": tr("Allow {host}", { host }) }, h("form", { novalidate: true, onsubmit: send },
    h("h2", {}, tr("Allow {host}?", { host })),
    h("p", { class: "hint" },
      tr("It is in your own network. relay may then connect to it for the AI, and to no other address there. You are asked once.")),
    labelled(myId ? tr("Your password, or the secret key") : tr("Secret key"), proof), ...said.nodes,
    h("div", { class: "ask-row" }, h("button", { class: "button", onclick: () => dialog.close() }, tr("Cancel")),
      h("button", { type: "submit", class: "button main" }, tr("Allow")))));
  document.body.append(dialog);
  dialog.showModal();
  proof.focus();
  return new Promise((resolve) => (dialog.onclose = () => {
    dialog.remove();
    resolve(allowed);
  }));
}
