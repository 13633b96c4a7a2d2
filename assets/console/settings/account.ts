// Your account: name, picture, e-mail, password, two-step sign-in, passkeys, where you are signed in, and personal tokens.

import { ApiError, call } from "../net/api";
import { h } from "../ui/dom";
import { pictureButton, squareOf } from "../ui/picture";
import { me, myId } from "../state/me";
import { attempt } from "../state/store";
import { asForm, input, ownPasskeys, passwordField, signIns } from "./access";
import { keysPart } from "./keys";
import type { Page } from "./page";
import { mailSection } from "./mailwish";
import { preferencesSection } from "./preferences";
import { button, feedback, labelled, section } from "./settings";
import { ownTwoStep } from "./twostep";

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
  const picture = h("img", { class: "own-face", alt: "Your picture", width: 72, height: 72 });
  const show = (of: Me): void => void (picture.src = of.avatar ?? "");
  const run = async (work: Promise<Me>, text: string): Promise<void> => {
    try {
      show(await work);
      said.said(text);
    } catch (error) {
      said.refused(error);
    }
  };
  const choose = pictureButton((picked) => void run(sendFace(picked), "Saved."));
  const node = h("div", { class: "own-picture" }, picture,
    h("div", { class: "buttons" }, ...choose,
      button("Remove", () => void run(call<Me>("DELETE", "/me/face"), "Removed.")), ...said.nodes));
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
    return "Your account is ready.";
  };
  return section("Create your account",
    h("p", { class: "hint" },
      "You are signed in with the secret key, under the name " + me +
        ". With an account of your own, colleagues see who answers, and the key can stay in its safe."),
    asForm(feedback(), "Create account", { name, email, password }, create, labelled("Name", name, "Visitors see it."),
      labelled("E-mail", email, "You sign in with it. Visitors never see it."), labelled("Password", password, "At least 10 characters.")));
}

// withKey is the page of whoever has no account.
function withKey(chosen: ReturnType<typeof preferencesSection>): Page {
  const places = signIns("key");
  const endOthers = async (): Promise<void> => {
    await attempt(call("DELETE", "/sign-ins"), "Not signed out");
    await places.load();
  };
  return {
    node: h("div", {}, newAccount(), chosen.node,
      section("Signed in with the secret key", places.node, button("Sign out all others", () => void endOthers()))),
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
    await attempt(call("DELETE", "/sign-ins"), "Not signed out");
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
  const needed = labelled("Current password, to change the e-mail address", confirm);
  email.addEventListener("input", () => (needed.hidden = !stored?.hasPassword || email.value.trim() === stored?.email));
  const save = async (): Promise<string> => {
    show(await call<Me>("PATCH", "/me", { name: name.value, email: email.value.trim(), currentPassword: confirm.value }));
    confirm.value = "";
    return "Saved.";
  };
  const change = async (): Promise<string> => {
    await call<Me>("PATCH", "/me", { password: next.value, currentPassword: current.value });
    current.value = next.value = "";
    void places.load();
    void tokens.load();
    return "Saved. You are signed out everywhere else.";
  };
  return {
    node: h("div", {},
      section("You", picture.node,
        asForm(feedback(), "Save", { name, email, currentPassword: confirm }, save, labelled("Name", name, "Visitors see it."),
          labelled("E-mail", email, "You sign in with it. Visitors never see it."), needed)),
      section("Password", asForm(feedback(), "Change password", { password: next, currentPassword: current }, change,
        labelled("Current password", current), labelled("New password", next, "At least 10 characters."))),
      section("Two-step sign-in", steps.node), section("Passkeys", keys.node), chosen.node, mailSection(),
      section("Where you are signed in", places.node, button("Sign out everywhere else", () => void endOthers())),
      section("Personal tokens", tokens.node)),
    async opened() {
      const found = await attempt(call<Me>("GET", "/me"), "Your account could not be loaded");
      if (found) show(found);
      await Promise.all([steps.load(), keys.load(), places.load(), tokens.load(), chosen.load()]);
    },
  };
}
