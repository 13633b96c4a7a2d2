// The invitation page. The link's secret stands behind the # and leaves the browser in request bodies only.

import { byId, setText } from "../ui/dom";
import { mark, refused } from "../ui/fields";
import { post, Refused } from "./request";

interface Invitation {
  reset: boolean;
  role: string;
  name?: string;
  email?: string;
  invitedBy?: string;
}

const token = location.hash.slice(1);

export async function invitation(): Promise<void> {
  try {
    show(await post<Invitation>("/console/invitation/check", { token: token || "none" }));
  } catch (error) {
    gone(error as Refused);
  }
}

// gone says why a link is of no use.
function gone(error: Refused): void {
  setText("invitation-text", "");
  setText("invitation-title", error.status === 404 ? "This link has already been used" : "That did not work");
  setText("invitation-error", error.message);
  byId("invitation-away").hidden = error.status !== 404;
  byId("invitation-title").focus();
}

function show(found: Invitation): void {
  const by = found.invitedBy ? found.invitedBy + " invites you" : "You are invited";
  const may = found.role === "administrator" ? "As an administrator you also manage the settings and the team." : "";
  setText("invitation-text", found.reset
    ? "Choose a new password for your account. You will be signed out on all other devices."
    : by + " to the team that answers visitors with relay. " + may);
  if (found.reset) asReset(found);
  byId<HTMLInputElement>("email").value = found.email ?? "";
  byId("invitation-fields").hidden = false;
  byId(found.reset ? "password" : "name").focus();
  byId<HTMLFormElement>("invitation").onsubmit = (e) => {
    e.preventDefault();
    void join();
  };
}

function asReset(found: Invitation): void {
  document.title = "New password · relay";
  setText("invitation-title", "Hello " + found.name);
  byId("name-field").hidden = true;
  byId<HTMLInputElement>("name").value = found.name ?? "";
  byId<HTMLInputElement>("email").readOnly = true;
  byId("invitation").querySelector("button")?.replaceChildren("Save and sign in");
}

async function join(): Promise<void> {
  const button = byId("invitation").querySelector("button") as HTMLButtonElement;
  const [name, email, password] = ["name", "email", "password"].map((id) =>
    byId<HTMLInputElement>(id)) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
  const wrong: [HTMLInputElement, string | false][] = [
    [name, !name.value.trim() && "Please give your name."],
    [email, !email.checkValidity() && "Please give your e-mail address, like ada@example.com."],
    [password, [...password.value].length < 10 && "Use at least 10 characters."],
  ];
  setText("invitation-error", "");
  for (const [field, text] of wrong) mark(field, text || "");
  const first = wrong.find(([, text]) => text);
  if (first) return first[0].focus();
  button.disabled = true;
  try {
    await post("/console/invitation/accept", { token, name: name.value.trim(), email: email.value.trim(), password: password.value });
    location.replace("/console");
  } catch (error) {
    setText("invitation-error", refused(error as Refused, { name, email, password }));
    button.disabled = false;
  }
}
