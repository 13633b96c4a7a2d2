// The widget's page: its look and words, with the real widget beside the form, and the snippet.

import { call } from "../../net/api";
import { h, newTab } from "../../ui/dom";
import { several } from "../../state/sites";
import { missing } from "../../ui/fields";
import { agoTime } from "../../ui/format";
import { colour } from "./colour";
import { area, check, choice, list, text } from "../controls";
import { form, type Control, type Field, type Form } from "../form";
import { files, megabytes } from "./files";
import { languages, questions } from "./lists";
import { pageRules } from "./pagerules";
import { picture } from "./picture";
import type { Page } from "../page";
import { button, feedback, labelled, section, shownSite, type Settings } from "../settings";
import { snippetBox } from "../snippet";
import { texts } from "./words";

interface Placed {
  snippet: string;
  // seen is where the widget was seen.
  seen?: { host: string; at: string }[];
}

interface Look {
  name?: string;
  icon?: string;
  color?: string;
}

const every = 20_000;

// darkColours stand where the chat is dark.
const darkColours = (): Field[] => [
  { name: "darkPrimaryColor", label: "Main colour, dark", control: colour("Main colour, dark", "") },
  { name: "darkHeaderColor", label: "Header, dark", control: colour("Header, dark", "") },
  { name: "darkChatBackground", label: "Background, dark", control: colour("Background, dark", "") },
  { name: "darkFooterColor", label: "Composer, dark", control: colour("Composer, dark", ""),
    hint: "They are for dark pages, and for the theme “dark”. Without them pale colours become tints of the dark chat." },
];

// lookForm is what visitors see and read; suggest fills in what was found on the site.
function lookForm(): { look: Form; suggest(found: Look): void } {
  const name = text({ maxlength: 100 });
  const avatar = picture();
  const main = colour("Main colour", "#3b5bdb");
  const hidden = list({ placeholder: "/checkout*, /cart" });
  const onPages = pageRules(() => hidden.get() as string[]);
  const look = form([
    { name: "operatorName", label: "Name", control: name },
    { name: "operatorAvatar", label: "Picture", control: avatar,
      hint: "A square picture, such as your logo. Choose one from this computer, or paste its https:// address." },
    { name: "primaryColor", label: "Main colour", control: main },
    { name: "headerColor", label: "Header", control: colour("Header", "") },
    { name: "toggleColor", label: "Button", control: colour("Button", "") },
    { name: "chatBackground", label: "Background", control: colour("Background", "") },
    { name: "footerColor", label: "Composer", control: colour("Composer", "") },
    ...darkColours(),
    { name: "launcherLabel", label: "Label of the button", control: text({ maxlength: 40, placeholder: "Chat with us" }),
      hint: "It stands beside the icon. Close the chat in the preview to see the button." },
    { name: "launcherPicture", label: "Picture of the button", control: picture(), hint: "A square picture in place of the icon." },
    { name: "launcherHidden", label: "No button: my pages have their own", control: check(),
      hint: h("p", {}, "Open the chat with ", h("code", {}, 'data-launcher-selector="#help"'), " in the snippet, or with ",
        h("code", {}, "RelayChat.open()"), ".") },
    { name: "position", label: "Side of the page", control: choice([["right", "Right"], ["left", "Left"]]) },
    { name: "theme", label: "Light or dark", control: choice([["auto", "As the page"], ["light", "Light"], ["dark", "Dark"]]),
      hint: "A page without a colour scheme counts as light, whatever the visitor's system prefers." },
    { name: "welcomeMessage", label: "Welcome", control: area({ rows: 2, maxlength: 1000 }) },
    { name: "offlineMessage", label: "While you are away", control: area({ rows: 2, maxlength: 1000 }) },
    { name: "starters", label: "Starter questions", control: questions(), hint: "Up to four questions, asked with one click." },
    { name: "language", label: "Language", control: choice([["auto", "The page’s, otherwise the visitor’s"], ...languages]) },
    { name: "texts", label: "Your own texts by language", control: texts(),
      hint: "They replace the texts above for visitors who use that language." },
    { name: "hiddenPages", label: "Pages without the chat", control: hidden,
      hint: "Paths, separated by commas; * matches any text." },
    { name: "pageRules", label: "Rules for pages", control: onPages, check: () => onPages.problem(),
      hint: "The first rule that fits the path of a page counts, before the pages without the chat. * matches any text." },
    { name: "attachments", label: "Files", control: files() },
    { name: "attachmentMaxBytes", label: "Largest file, in MB", control: megabytes(), hint: "Of visitors and of operators." },
  ], (n) => {
    const folded = (title: string, ...names: string[]): HTMLElement =>
      h("details", { class: "more" }, h("summary", {}, title), ...names.map((name) => n[name]!));
    return [n["operatorName"]!, n["operatorAvatar"]!, n["primaryColor"]!,
      folded("More colours", "headerColor", "toggleColor", "chatBackground", "footerColor"),
      folded("Colours where the chat is dark", "darkPrimaryColor", "darkHeaderColor", "darkChatBackground", "darkFooterColor"),
      folded("The button", "launcherLabel", "launcherPicture", "launcherHidden"),
      n["position"]!, n["theme"]!, n["welcomeMessage"]!, n["offlineMessage"]!, n["starters"]!, n["language"]!, n["hiddenPages"]!,
      folded("Rules for pages", "pageRules"), folded("Your own texts by language", "texts"),
      folded("Files that may be sent", "attachments", "attachmentMaxBytes")];
  });

  const put = (control: Control, value?: string): void => void (value && control.set(value));
  return {
    look,
    suggest(found) {
      put(name, found.name);
      put(avatar, found.icon);
      put(main, found.color);
      look.node.dispatchEvent(new Event("input", { bubbles: true }));
    },
  };
}

// previewOf shows the real widget with the stored settings and what was changed in the form.
function previewOf(look: Form): { node: HTMLElement; show(settings: Settings): void } {
  const node = h("iframe", { src: "/preview", title: "The widget as visitors see it", class: "preview" });
  let stored: Settings | undefined;
  let language = "";
  const draw = (): void => {
    if (!stored) return;
    const config: Record<string, unknown> = { ...stored, ...look.changes(), csat: { enabled: false }, preChatForm: null };
    for (const name of ["operatorAvatar", "launcherPicture"]) {
      if (!/^(https:\/\/|data:image\/)/.test(String(config[name]))) config[name] = null; // not typed to its end
    }
    const now = String(config["language"]);
    if (language && now !== language) node.contentWindow?.location.reload(); // it asks again when it is ready
    else node.contentWindow?.postMessage(config, location.origin);
    language = now;
  };
  addEventListener("message", (e) => e.source === node.contentWindow && e.data === "ready" && draw());
  look.node.addEventListener("input", () => setTimeout(draw));
  look.node.addEventListener("change", () => setTimeout(draw));
  return {
    node,
    show(settings) {
      stored = settings;
      draw();
    },
  };
}

// suggestion reads the look of a site, for the operator to keep or to change.
function suggestion(suggest: (found: Look) => void): HTMLElement[] {
  const said = feedback();
  const site = h("input", { class: "input", type: "url", placeholder: "https://shop.example.com", autocomplete: "off" });
  const propose = button("Suggest from my site", async () => {
    if (missing([[site, "Enter the address of your site, like https://shop.example.com."]])) return;
    if (propose.ariaDisabled === "true") return;
    propose.ariaDisabled = "true";
    said.said("Reading the page…");
    try {
      const found = await call<Look>("POST", "/widget/look", { url: site.value.trim() });
      suggest(found);
      const parts = [found.name && "name", found.icon && "icon", found.color && "colour"].filter(Boolean);
      said.said(parts.length
        ? "Found: " + parts.join(", ") + ". Look at the preview, then save."
        : "The page states no name, icon or colour.");
    } catch (error) {
      said.refused(error, { url: site });
    }
    propose.ariaDisabled = null;
  });
  return [h("div", { class: "propose" }, labelled("Your site", site), propose), ...said.nodes];
}

// placedAt is about the chosen website; each has a snippet of its own.
async function placedAt(site: string): Promise<Placed> {
  if (several() && !site) return { snippet: "Each website has a snippet of its own: choose the website in the bar at the top." };
  return call<Placed>("GET", "/widget?site=" + site);
}

// placement is the snippet, and where it was seen.
function placement(): { nodes: HTMLElement[]; load(): Promise<void> } {
  const { node, code: snippet } = snippetBox("Copy the snippet");
  snippet.id = "widget-snippet";
  const seen = h("p", { class: "hint", role: "status" });
  const page = h("a", { id: "chat-page", ...newTab });
  const alone = h("p", { class: "hint" }, "The chat also has a page of its own, for links and QR codes: ", page);
  return {
    nodes: [node, seen, alone],
    async load() {
      alone.hidden = several() && !shownSite();
      page.href = "/chat" + (several() ? "/" + shownSite() : "");
      page.textContent = page.href;
      const placed = await placedAt(shownSite()).catch(() => undefined);
      if (!placed) return;
      if (snippet.textContent !== placed.snippet) snippet.textContent = placed.snippet;
      if (!placed.seen) return seen.replaceChildren();
      const parts = placed.seen.map((s) => h("span", { class: "seen" }, h("span", { class: "tag good" }, "Seen"), " on " + s.host + " ",
        agoTime(s.at)));
      seen.replaceChildren(...(parts.length
        ? parts
        : ["Not seen on a site yet. Once the snippet is in one of your pages, open that page and its chat."]));
    },
  };
}

export function widgetPage(): Page {
  const { look, suggest } = lookForm();
  const preview = previewOf(look);
  const placed = placement();
  let timer = 0;
  return {
    node: h("div", { class: "widget-page" },
      h("div", {},
        section("On your site",
          h("p", { class: "hint" }, "Paste this before </body> on every page that should have the chat."), ...placed.nodes),
        section("Look and texts", ...suggestion(suggest), look.node)),
      h("div", { class: "preview-frame" }, preview.node)),
    form: look,
    show(settings) {
      preview.show(settings);
      void placed.load();
    },
    opened() {
      timer = setInterval(() => void placed.load(), every);
    },
    left: () => clearInterval(timer),
  };
}
