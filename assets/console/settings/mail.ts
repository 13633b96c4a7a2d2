// E-mail: the server that sends, the sender, a way to fill both in by provider, a test, and the mailbox with the answers.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { sentence } from "../ui/format";
import type { Finding } from "../types";
import { findings } from "./channels/findings";
import { check, number, secret, text, type Secret } from "./controls";
import { form, type Field } from "./form";
import { signIn, type ConsentState, type SignIn } from "./mailsignin";
import type { Page } from "./page";
import { button, everywhere, labelled, section, shownSite } from "./settings";
import { testing } from "./testing";
import { plural } from "../ui/sentences";
import { tr } from "../ui/texts";

// Status is how e-mail is doing.
interface Status {
  state: "off" | "running" | "failing";
  lastError?: string;
  fix?: string;
  queue: number;
  mailbox: Mailbox;
  consent?: ConsentState;
}

// Mailbox is how reading the answers is doing.
interface Mailbox {
  state: "off" | "running" | "failing";
  lastError?: string;
  fix?: string;
  counts: Record<string, number>;
  // unreadable are the newest e-mails that stay in the mailbox.
  unreadable: { from?: string; subject?: string; why: string }[];
}

// Test is how the server took a test.
interface Test {
  ok: boolean;
  error?: string;
  fix?: string;
  durationMs: number;
  // findings are what the DNS says of the sender's domain.
  findings: Finding[];
}

// RoundTrip is what became of an e-mail that relay sent to itself.
interface RoundTrip {
  sent: boolean;
  arrived: boolean;
  to: string;
  error?: string;
  fix?: string;
  durationMs: number;
}

// Providers by name, with the server that takes e-mails, the one that has the mailbox ("" if there is none), what the sign-in is made
// of, and who hands out tokens instead of a password.
const providers: readonly (readonly [name: string, smtp: string, imap: string, hint: string, token?: string])[] = [
  ["Fastmail", "smtps://smtp.fastmail.com:465", "imaps://imap.fastmail.com",
    tr("Your address, and an app password: Settings → Privacy & Security → App passwords.")],
  ["Gmail, Google Workspace", "smtps://smtp.gmail.com:465", "imaps://imap.gmail.com",
    tr("Your address, and an app password, which needs 2-Step Verification: myaccount.google.com/apppasswords.")],
  [tr("Gmail, Google Workspace, without a password"), "smtps://smtp.gmail.com:465", "imaps://imap.gmail.com",
    tr("The mailbox's address. Register relay at Google, and sign in below."), "google"],
  ["Microsoft 365", "smtp://smtp.office365.com:587", "imaps://outlook.office365.com",
    tr("The mailbox's address. An administrator has to switch on IMAP and Authenticated SMTP for it. " +
      "Register relay at Microsoft, and sign in below: there are no passwords."), "microsoft"],
  ["Postmark", "smtp://smtp.postmarkapp.com:587", "",
    tr("The server's API token, as the name and as the password.")],
  ["Amazon SES", "smtps://email-smtp.eu-central-1.amazonaws.com:465", "",
    tr("SMTP credentials from the SES console. Put your own region into the address.")],
  ["Brevo", "smtp://smtp-relay.brevo.com:587", "",
    tr("The login and the SMTP key: Settings → SMTP & API.")],
  [tr("Own server on this machine"), "smtp://localhost:25", "",
    tr("No name and no password, as a rule.")],
];

// helper puts together the addresses of a provider's server and mailbox, a name and a password.
function helper(server: Secret, mailbox: Secret, tokens: SignIn): HTMLElement {
  const provider = h("select", { class: "input" },
    h("option", { value: "" }, tr("Choose…")), ...providers.map(([name], i) => h("option", { value: i }, name)));
  const name = h("input", { class: "input", autocomplete: "off", spellcheck: "false" });
  const password = h("input", { class: "input", type: "password", autocomplete: "new-password" });
  const hint = h("p", { class: "hint" });
  const fill = button(tr("Fill in"), () => {
    const [, smtp, imap, , token] = providers[Number(provider.value)]!;
    const parts = [name.value.trim(), ...(token ? [] : [password.value])];
    const who = name.value && parts.map(encodeURIComponent).join(":") + "@";
    server.reveal(smtp.replace("://", "://" + who));
    if (imap && who) mailbox.reveal(imap.replace("://", "://" + who));
    if (token) tokens.choose(token);
    password.value = "";
  });
  const secretly = labelled(tr("Password"), password);
  const chosen = (): void => {
    const [, , , text = "", token] = providers[Number(provider.value || NaN)] ?? [];
    fill.disabled = provider.value === "";
    hint.textContent = text;
    secretly.hidden = !!token;
  };
  provider.addEventListener("change", chosen);
  chosen();
  return h("details", {}, h("summary", {}, tr("Fill in by provider")),
    labelled(tr("Provider"), provider), hint, labelled(tr("Name"), name), secretly, h("div", { class: "buttons" }, fill));
}

// fields are the settings of e-mail: the servers are relay's, the rest is each site's.
const fields = (server: Secret, mailbox: Secret, tokens: SignIn): Field[] => [
  ...(everywhere ? [{ name: "smtpUrl", label: tr("Server"), control: server,
    hint: tr("Like smtps://name:password@smtp.example.com:465, or smtp:// for STARTTLS, 587 as a rule. It is not shown again. " +
      "In the name and the password, write @ as %40, / as %2F and % as %25.") }] : []),
  { name: "mailFrom", label: tr("Sender"), control: text({ placeholder: "Example Shop <chat@shop.example>" }),
    hint: tr("The name is what visitors see. The server must let you send from this address.") },
  ...(everywhere ? [{ name: "mailPerMinute", label: tr("Most e-mails a minute"), control: number(1, 6000),
    hint: tr("What your provider allows.") },
  { name: "imapUrl", label: tr("Mailbox"), control: mailbox,
    hint: tr("Answers become messages here. Like imaps://name:password@imap.example.com; a folder goes behind the server. " +
      "Other e-mails in the mailbox are left alone.") },
  ...tokens.fields] : []),
  { name: "mailReplyTo", label: tr("Answers go to"), control: text({ placeholder: "chat+*@shop.example" }),
    hint: tr("Empty: the sender's address with a + and the conversation's name. " +
      "Set it if your provider does not deliver such addresses.") },
  ...(everywhere ? [
    { name: "imapMoveTo", label: tr("Move what was taken to"), control: text({ placeholder: tr("Archive") }),
      hint: tr("A folder. Empty: e-mails stay where they are, marked as seen.") },
    { name: "mailInbox", label: tr("E-mails that answer nothing begin conversations"), control: check() },
  ] : []),
];

// arranged puts how relay signs in behind the mailbox, as one block.
function arranged(nodes: Record<string, HTMLElement>, tokens: SignIn): Node[] {
  const of = new Set(tokens.fields.map((field) => field.name));
  const block = everywhere ? [tokens.block(nodes)] : [];
  return Object.entries(nodes)
    .filter(([name]) => !of.has(name))
    .flatMap(([name, node]) => (name === "imapUrl" ? [node, ...block] : [node]));
}

export function mailPage(): Page {
  const server = secret(tr("None: nothing is sent"));
  const mailbox = secret(tr("None: answers by e-mail are not read"));
  const tokens = signIn();
  const mail = form(fields(server, mailbox, tokens), (nodes) => arranged(nodes, tokens));
  tokens.attach(mail);
  const doing = h("p", { class: "hint", id: "mail-state" });
  const to = h("input", { class: "input", type: "email", autocomplete: "email" });
  const arrived = h("div", { id: "mailbox-state" });
  const look = async (): Promise<void> => {
    const status = await call<Status>("GET", "/mail");
    doing.textContent = inWords(status);
    arrived.replaceChildren(...drawMailbox(status.mailbox));
    tokens.draw(status.consent);
  };
  const test = testing({
    form: mail, answer: "mail-answer", small: true, label: tr("Send a test"), waiting: tr("Waiting for the server…"),
    run: async () => drawTest(await call<Test>("POST", "/mail/test?site=" + shownSite(), { to: to.value.trim() }), to.value),
    after: () => void look(),
  });
  const trip = testing({
    form: mail, answer: "trip-answer", small: true, label: tr("Try the way there and back"),
      waiting: tr("Waiting for the e-mail to come back…"),
    run: async () => drawTrip(await call<RoundTrip>("POST", "/mail/round-trip?site=" + shownSite())),
    after: () => void look(),
  });
  const draw = (): void => {
    test.draw();
    trip.draw();
    tokens.draw();
  };
  mail.node.addEventListener("input", draw);
  mail.onsaved = () => {
    draw();
    void look();
  };

  return {
    node: section(tr("E-mail to visitors"),
      h("p", { class: "hint" },
        tr("An answer that a visitor has not read after five minutes, and who has left, goes out by e-mail if an address is known. " +
          "The first e-mail asks whether more may follow. "),
        h("a", { href: "/docs/mail", target: "_blank", rel: "noopener" }, tr("How it works"))),
      doing, arrived, everywhere ? helper(server, mailbox, tokens) : "", mail.node,
      labelled(tr("Send the test to"), to), ...test.nodes,
      h("p", { class: "hint" }, tr("With a mailbox, relay can also send an e-mail to itself, as an answer of a visitor:")), ...trip.nodes),
    form: mail,
    show: draw,
    opened: () => void tokens.finish().then(look),
  };
}

function inWords(s: Status): string {
  if (s.state === "off") return tr("Nothing is sent yet: it takes a server and a sender.");
  if (s.state === "failing") return tr("It fails: {reason}.", { reason: [s.lastError, s.fix].filter(Boolean).join(". ") });
  return s.queue ? plural(s.queue, "It works. {n} answer waits to be read or sent.", "It works. {n} answers wait to be read or sent.")
    : tr("It works.");
}

// counted are the words for what arrived, in the order in which they are shown.
const counted: Record<string, string> = {
  taken: tr("became messages"), automatic: tr("answers of machines"), list: tr("newsletters"), bounce: tr("came back"),
    loop: tr("in a loop"),
  blocked: tr("from blocked visitors"), gone: tr("about deleted conversations"), too_many: tr("too many at once"),
  contradictory: tr("name two conversations"), refused: tr("not from your team"), unreadable: tr("unreadable"), other: tr("not relay's"),
};

function drawMailbox(m: Mailbox): Node[] {
  if (m.state === "off") return [];
  const numbers = Object.entries(counted)
    .filter(([name]) => m.counts[name])
    .map(([name, words]) => m.counts[name] + " " + words);
  const works = tr("The mailbox is read.") + " " +
    (numbers.length ? tr("Arrived so far: {numbers}.", { numbers: numbers.join(", ") }) : tr("Nothing has arrived yet."));
  const fails = tr("The mailbox cannot be read: {reason}.", { reason: [m.lastError, m.fix].filter(Boolean).join(". ") });
  const stay = m.unreadable.map(({ from, subject, why }) =>
    h("li", {}, (subject || tr("Without a subject")) + (from ? ", " + tr("from {from}", { from }) : "") + ": " + why));
  const hint = (text: string): Node => h("p", { class: "hint" }, text);
  return [hint(m.state === "failing" ? fails : works),
    ...(stay.length ? [hint(tr("These could not be read and are in the mailbox:")), h("ul", { class: "hint" }, ...stay)] : [])];
}

function drawTrip(t: RoundTrip): Node[] {
  const step = (done: boolean, words: string): Node =>
    h("p", {}, h("span", { class: "tag " + (done ? "good" : "bad") }, done ? tr("Done") : tr("Failed")), " " + words);
  const steps = [step(t.sent, tr("The server takes an e-mail to {to}", { to: t.to || tr("the address for answers") }))];
  if (t.sent) steps.push(step(t.arrived, tr("It arrives in the mailbox, and relay knows it as an answer")));
  if (t.arrived) steps.push(h("p", { class: "hint" }, tr("There and back in {n} s.", { n: (t.durationMs / 1000).toFixed(1) })));
  if (t.error) steps.push(h("p", {}, sentence(t.error)));
  if (t.fix) steps.push(h("p", { class: "hint" }, tr("What to do: {fix}", { fix: t.fix })));
  return steps;
}

function drawTest(t: Test, to: string): Node[] {
  const tag = h("span", { class: "tag " + (t.ok ? "good" : "bad") }, t.ok ? tr("Sent") : tr("Not sent"));
  const words = t.ok
    ? tr("The server took it after {durationMs} ms. Look into the mailbox of {to}, and into its spam folder.",
      { durationMs: t.durationMs, to })
    : sentence(t.error ?? "");
  return [h("p", {}, tag, " " + words), ...(t.fix ? [h("p", { class: "hint" }, tr("What to do: {fix}", { fix: t.fix }))] : []),
    findings(t.findings)];
}
