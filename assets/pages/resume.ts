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
const { link, key, chat, there } = main.dataset as Record<string, string>;
const language = (navigator.languages || ["en"]).map((one) => one.toLowerCase().split("-")[0]!).find((one) => one in languages) || "en";
const t = languages[language as keyof typeof languages];
const byId = (id: string) => document.getElementById(id)!;

document.documentElement.lang = language;
document.documentElement.dir = language === "ar" || language === "he" ? "rtl" : "ltr";
byId("resume-title").textContent = document.title = link ? t.ask : t.ended;
byId("resume-text").textContent = link ? t.text : t.endedText;
if (link) showWays();

/** showWays offers the website, where the visitor was last, and the page with the chat. */
function showWays(): void {
  const ways = byId("resume-ways");
  if (there) {
    const host = new URL(there).host;
    const website = document.createElement("a");
    website.className = "button main";
    website.href = `${there}#relay-chat=${link}`;
    website.textContent = t.there.replace("{host}", () => host);
    ways.append(website);
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
