// Your account: name, picture, e-mail, password, two-step sign-in, passkeys, where you are signed in, and personal tokens.

import { ApiError, call } from "../net/api";
import { h } from "../ui/dom";
import { pictureButton, squareOf } from "../ui/picture";
import { me, myId } from "../state/me";
import { attempt } from "../state/store";
import { asForm, input, ownPasskeys, passwordField, signIns } from "./access";
import { keysPart } from "./keys";
import { languageSection } from "./language";
import type { Page } from "./page";
import { mailSection } from "./mailwish";
import { preferencesSection } from "./preferences";
import { button, feedback, labelled, section } from "./settings";
import { ownTwoStep } from "./twostep";
import { tr } from "../ui/texts";

interface Me {
  id: string;
  name: string;
  email?: string;
  role: string;
  avatar?: string;
  hasPassword: boolean;
}

async function sendFace(file: File): Promise<Me> {
  const response = await fetch("/api/admin/me/face", { method: "PUT", headers: { "Content-Type": "image/jpeg" },
    body: await squareOf(file) });
  const body = (await response.json().catch(() => null)) as Me;
  if (!response.ok) throw new ApiError(response.status, body);
  return body;
}

function faceSection(): { node: HTMLElement; show(of: Me): void } {
  const said = feedback();
  const picture = h("img", { class: "own-face", alt: tr("Your picture"), width: 72, height: 72 });
  const show = (of: Me): void => void (picture.src = of.avatar ?? "");
  const run = async (work: Promise<Me>, text: string): Promise<void> => {
    try {
      show(await work);
      said.said(text);
    } catch (error) {
      said.refused(error);
    }
  };
  const choose = pictureButton((picked) => void run(sendFace(picked), tr("Saved.")));
  const node = h("div", { class: "own-picture" }, picture,
    h("div", { class: "buttons" }, ...choose,
      button(tr("Remove"), () => void run(call<Me>("DELETE", "/me/face"), tr("Removed."))), ...said.nodes));
  return { node, show };
}

// newAccount turns the one who uses the secret key into a person.
function newAccount(): HTMLElement {
  const name = input({ maxlength: 60, autocomplete: "name", value: me ?? "" });
  const email = input({ type: "email", maxlength: 254, autocomplete: "username" });
  const password = passwordField("new-password");
  const create = async (): Promise<string> => {
    await call("POST", "/people", { name: name.value, email: email.value.trim(), password: password.value, role: "administrator",
      signIn: true });
    location.reload();
    return tr("Your account is ready.");
  };
  return section(tr("Create your account"),
    h("p", { class: "hint" },
      tr("You are signed in with the secret key, under the name {me}. With an account of your own, " +
        "colleagues see who answers, and the key can stay in its safe.", { me })),
    asForm(feedback(), tr("Create account"), { name, email, password }, create, labelled(tr("Name"), name, tr("Visitors see it.")),
      labelled(tr("E-mail"), email, tr("You sign in with it. Visitors never see it.")),
        labelled(tr("Password"), password, tr("At least 10 characters."))));
}

// withKey is the page of whoever has no account.
function withKey(chosen: ReturnType<typeof preferencesSection>): Page {
  const places = signIns("key");
  const endOthers = async (): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins"), tr("Not signed out"));
    await places.load();
  };
  return {
    node: h("div", {}, newAccount(), languageSection(), chosen.node,
      section(tr("Signed in with the secret key"), places.node, button(tr("Sign out all others"), () => void endOthers()))),
    opened() {
      chosen.load();
      void places.load();
    },
  };
}

export function accountPage(): Page {
  const chosen = preferencesSection();
  if (!myId) return withKey(chosen);
  const picture = faceSection();
  const places = signIns(myId);
  const keys = ownPasskeys(myId, () => !!stored?.hasPassword);
  const steps = ownTwoStep(() => !!stored?.hasPassword);
  const endOthers = async (): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins"), tr("Not signed out"));
    await Promise.all([places.load(), tokens.load()]);
  };
  const tokens = keysPart(true);
  const name = input({ maxlength: 60, autocomplete: "name" });
  const email = input({ type: "email", maxlength: 254, autocomplete: "username" });
  const confirm = passwordField("current-password");
  const current = passwordField("current-password");
  const next = passwordField("new-password");
  let stored: Me | undefined;
  const show = (of: Me): void => {
    stored = of;
    name.value = of.name;
    email.value = of.email ?? "";
    needed.hidden = true;
    picture.show(of);
  };
  const needed = labelled(tr("Current password, to change the e-mail address"), confirm);
  email.addEventListener("input", () => (needed.hidden = !stored?.hasPassword || email.value.trim() === stored?.email));
  const save = async (): Promise<string> => {
    show(await call<Me>("PATCH", "/me", { name: name.value, email: email.value.trim(), currentPassword: confirm.value }));
    confirm.value = "";
    return tr("Saved.");
  };
  const change = async (): Promise<string> => {
    await call<Me>("PATCH", "/me", { password: next.value, currentPassword: current.value });
    current.value = next.value = "";
    void places.load();
    void tokens.load();
    return tr("Saved. You are signed out everywhere else.");
  };
  return {
    node: h("div", {},
      section(tr("You"), picture.node,
        asForm(feedback(), tr("Save"), { name, email, currentPassword: confirm }, save, labelled(tr("Name"), name, tr("Visitors see it.")),
          labelled(tr("E-mail"), email, tr("You sign in with it. Visitors never see it.")), needed)),
      section(tr("Password"), asForm(feedback(), tr("Change password"), { password: next, currentPassword: current }, change,
        labelled(tr("Current password"), current), labelled(tr("New password"), next, tr("At least 10 characters.")))),
      section(tr("Two-step sign-in"), steps.node), section(tr("Passkeys"), keys.node), languageSection(), chosen.node,
      mailSection(),
      section(tr("Where you are signed in"), places.node, button(tr("Sign out everywhere else"), () => void endOthers())),
      section(tr("Personal tokens"), tokens.node)),
    async opened() {
      const found = await attempt(call<Me>("GET", "/me"), tr("Your account could not be loaded"));
      if (found) show(found);
      await Promise.all([steps.load(), keys.load(), places.load(), tokens.load(), chosen.load()]);
    },
  };
}
