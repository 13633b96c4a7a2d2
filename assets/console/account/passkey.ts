// Signing in with a passkey, on the sign-in page.

import { byId, setText } from "../ui/dom";
import { post } from "./request";
import { lacking, signed, type Request } from "./webauthn";

export function passkey(): void {
  const part = byId("passkey");
  if (!part.dataset["origin"] || lacking(part.dataset["origin"])) return;
  part.hidden = false;
  const button = part.querySelector("button") as HTMLButtonElement;
  button.onclick = async () => {
    setText("login-error", "");
    button.disabled = true;
    try {
      await post("/console/passkey/sign-in", await signed(await post<Request>("/console/passkey/challenge", {})));
      location.replace("/console");
    } catch (error) {
      setText("login-error", (error as Error).message);
      button.disabled = false;
    }
  };
}
