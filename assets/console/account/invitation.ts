// The invitation page. The link's secret stands behind the # and leaves the browser in request bodies only.

import { byId, setText } from "../ui/dom";
import { mark, refused } from "../ui/fields";
import { post, Refused } from "./request";
import { tr } from "../ui/texts";

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
  setText("invitation-title", error.status === 404 ? tr("This link has already been used") : tr("That did not work"));
  setText("invitation-error", error.message);
  byId("invitation-away").hidden = error.status !== 404;
  byId("invitation-title").focus();
}

function show(found: Invitation): void {
  const by = found.invitedBy ? tr("{name} invites you to the team that answers visitors with relay.", { name: found.invitedBy })
    : tr("You are invited to the team that answers visitors with relay.");
  const may = found.role === "administrator" ? tr("As an administrator you also manage the settings and the team.") : "";
  setText("invitation-text", found.reset
    ? tr("Choose a new password for your account. You will be signed out on all other devices.")
    : by + " " + may);
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
  document.title = tr("New password · relay");
  setText("invitation-title", tr("Hello {name}", { name: found.name }));
  byId("name-field").hidden = true;
  byId<HTMLInputElement>("name").value = found.name ?? "";
  byId<HTMLInputElement>("email").readOnly = true;
  byId("invitation").querySelector("button")?.replaceChildren(tr("Save and sign in"));
}

async function join(): Promise<void> {
  const button = byId("invitation").querySelector("button") as HTMLButtonElement;
  const [name, email, password] = ["name", "email", "password"].map((id) =>
    byId<HTMLInputElement>(id)) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
  const wrong: [HTMLInputElement, string | false][] = [
    [name, !name.value.trim() && tr("Please give your name.")],
    [email, !email.checkValidity() && tr("Please give your e-mail address, like ada@example.com.")],
    [password, [...password.value].length < 10 && tr("Use at least 10 characters.")],
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
