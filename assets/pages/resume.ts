// The page of a conversation's link: it asks before this device gets anything, because mail
// programs and messengers open the links that they show.

import languages from "./resume.json";

interface Saved {
  id: string;
  token: string;
}

interface Earlier extends Saved {
  text: string;
  at: string;
}

const main = document.querySelector<HTMLElement>("main[data-link]")!;
const { link, key, chat, there, letter } = main.dataset as Record<string, string>;
const language = (navigator.languages || ["en"]).map((one) => one.toLowerCase().split("-")[0]!).find((one) => one in languages) || "en";
const t = languages[language as keyof typeof languages];
const byId = (id: string) => document.getElementById(id)!;

document.documentElement.lang = language;
document.documentElement.dir = language === "ar" || language === "he" ? "rtl" : "ltr";
const works = link || chat;
byId("resume-title").textContent = document.title = works ? t.ask : t.ended;
byId("resume-text").textContent = works ? (link ? t.text : "") : t.endedText;
if (works) showWays();
if (letter) offerToStop();

/** showWays offers the website, where the visitor was last, and the page with the chat. */
function showWays(): void {
  const ways = byId("resume-ways");
  if (there) {
    const host = new URL(there).host;
    const website = document.createElement("a");
    website.className = "button main";
    website.href = link ? `${there}#relay-chat=${link}` : there;
    website.addEventListener("click", () => void confirmAddress());
    website.textContent = t.there.replace("{host}", () => host);
    ways.append(website);
    if (!link) return;
  }
  const here = document.createElement("button");
  here.className = there ? "button" : "button main";
  here.textContent = t.here;
  here.addEventListener("click", () => void goOn(here));
  ways.append(here);
}

/** goOn makes this device one of the conversation's, and opens the chat with it. */
async function goOn(button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  byId("resume-problem").textContent = "";
  await confirmAddress();
  if (!link) return location.assign(chat!);
  try {
    const answer = await fetch("/api/widget/resume", {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ link }),
    });
    if (answer.status === 404) return location.reload();
    if (!answer.ok) throw answer.status;
    const { sessionId, sessionToken } = (await answer.json()) as { sessionId: string; sessionToken: string };
    take({ id: sessionId, token: sessionToken });
    location.replace(chat!);
  } catch {
    byId("resume-problem").textContent = t.failed;
    button.disabled = false;
  }
}

/** confirmAddress tells that who opened this page reads the e-mails of the address. */
async function confirmAddress(): Promise<void> {
  if (letter) await fetch(`/mail/${letter}/confirm`, { method: "POST", keepalive: true }).catch(() => {});
}

/** offerToStop ends the e-mails on a click, never by opening the page. */
function offerToStop(): void {
  const stop = document.createElement("button");
  stop.className = "text";
  stop.textContent = t.stop;
  stop.addEventListener("click", async () => {
    const answer = await fetch(`/mail/${letter}`, { method: "POST" }).catch(() => null);
    if (answer?.ok) byId("resume-stop").textContent = t.stopped;
    else byId("resume-problem").textContent = t.failed;
  });
  byId("resume-stop").append(stop);
}

/**
 * take stores the conversation where the widget looks for it. Another one that this browser
 * has becomes an earlier one.
 */
function take(next: Saved): void {
  const at = (name: string) => `relay:${key}:${name}`;
  const read = <T>(name: string) => JSON.parse(localStorage.getItem(at(name)) || "null") as T | null;
  const present = read<Saved & { live?: boolean }>("session");
  const others = (read<Earlier[]>("chats") || []).filter((one) => one.id !== next.id && one.id !== present?.id);
  const leaves = present?.live && present.id !== next.id;
  const earlier = leaves ? [{ ...present, text: "", at: new Date().toISOString() }, ...others] : others;
  localStorage.setItem(at("chats"), JSON.stringify(earlier));
  localStorage.setItem(at("session"), JSON.stringify({ ...next, live: true }));
}
