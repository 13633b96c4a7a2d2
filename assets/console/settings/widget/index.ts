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
import { mixed } from "../../ui/sentences";
import { tr } from "../../ui/texts";

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
  { name: "darkPrimaryColor", label: tr("Main colour, dark"), control: colour(tr("Main colour, dark"), "") },
  { name: "darkHeaderColor", label: tr("Header, dark"), control: colour(tr("Header, dark"), "") },
  { name: "darkChatBackground", label: tr("Background, dark"), control: colour(tr("Background, dark"), "") },
  { name: "darkFooterColor", label: tr("Composer, dark"), control: colour(tr("Composer, dark"), ""),
    hint: tr("They are for dark pages, and for the theme “dark”. Without them pale colours become tints of the dark chat.") },
];

// launcher is the button that opens the chat.
const launcher = (): Field[] => [
  { name: "launcherLabel", label: tr("Label of the button"), control: text({ maxlength: 40, placeholder: tr("Chat with us") }),
    hint: tr("It stands beside the icon. Close the chat in the preview to see the button.") },
  { name: "launcherPicture", label: tr("Picture of the button"), control: picture(), hint: tr("A square picture in place of the icon.") },
  { name: "launcherHidden", label: tr("No button: my pages have their own"), control: check(),
    hint: h("p", {}, ...mixed(tr("Open the chat with {attribute} in the snippet, or with {call}."), {
      attribute: h("code", {}, 'data-launcher-selector="#help"'), call: h("code", {}, "RelayChat.open()") })) },
];

// lookForm is what visitors see and read; suggest fills in what was found on the site.
function lookForm(): { look: Form; suggest(found: Look): void } {
  const name = text({ maxlength: 100 });
  const avatar = picture();
  const main = colour(tr("Main colour"), "#3b5bdb");
  const hidden = list({ placeholder: "/checkout*, /cart" });
  const onPages = pageRules(() => hidden.get() as string[]);
  const look = form([
    { name: "operatorName", label: tr("Name"), control: name },
    { name: "operatorAvatar", label: tr("Picture"), control: avatar,
      hint: tr("A square picture, such as your logo. Choose one from this computer, or paste its https:// address.") },
    { name: "primaryColor", label: tr("Main colour"), control: main },
    { name: "headerColor", label: tr("Header"), control: colour(tr("Header"), "") },
    { name: "toggleColor", label: tr("Button"), control: colour(tr("Button"), "") },
    { name: "chatBackground", label: tr("Background"), control: colour(tr("Background"), "") },
    { name: "footerColor", label: tr("Composer"), control: colour(tr("Composer"), "") },
    ...darkColours(),
    ...launcher(),
    { name: "position", label: tr("Side of the page"), control: choice([["right", tr("Right")], ["left", tr("Left")]]) },
    { name: "theme", label: tr("Light or dark"),
      control: choice([["auto", tr("As the page")], ["light", tr("Light")], ["dark", tr("Dark")]]),
      hint: tr("A page without a colour scheme counts as light, whatever the visitor's system prefers.") },
    { name: "welcomeMessage", label: tr("Welcome"), control: area({ rows: 2, maxlength: 1000 }) },
    { name: "offlineMessage", label: tr("While you are away"), control: area({ rows: 2, maxlength: 1000 }) },
    { name: "starters", label: tr("Starter questions"), control: questions(), hint: tr("Up to four questions, asked with one click.") },
    { name: "language", label: tr("Language"), control: choice([["auto", tr("The page’s, otherwise the visitor’s")], ...languages]) },
    { name: "texts", label: tr("Your own texts by language"), control: texts(),
      hint: tr("They replace the texts above for visitors who use that language.") },
    { name: "hiddenPages", label: tr("Pages without the chat"), control: hidden,
      hint: tr("Paths, separated by commas; * matches any text.") },
    { name: "pageRules", label: tr("Rules for pages"), control: onPages, check: () => onPages.problem(),
      hint: tr("The first rule that fits the path of a page counts, before the pages without the chat. * matches any text.") },
    { name: "attachments", label: tr("Files"), control: files() },
    { name: "attachmentMaxBytes", label: tr("Largest file, in MB"), control: megabytes(), hint: tr("Of visitors and of operators.") },
  ], (n) => {
    const folded = (title: string, ...names: string[]): HTMLElement =>
      h("details", { class: "more" }, h("summary", {}, title), ...names.map((name) => n[name]!));
    return [n["operatorName"]!, n["operatorAvatar"]!, n["primaryColor"]!,
      folded(tr("More colours"), "headerColor", "toggleColor", "chatBackground", "footerColor"),
      folded(tr("Colours where the chat is dark"), "darkPrimaryColor", "darkHeaderColor", "darkChatBackground", "darkFooterColor"),
      folded(tr("The button"), "launcherLabel", "launcherPicture", "launcherHidden"),
      n["position"]!, n["theme"]!, n["welcomeMessage"]!, n["offlineMessage"]!, n["starters"]!, n["language"]!, n["hiddenPages"]!,
      folded(tr("Rules for pages"), "pageRules"), folded(tr("Your own texts by language"), "texts"),
      folded(tr("Files that may be sent"), "attachments", "attachmentMaxBytes")];
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
  const node = h("iframe", { src: "/preview", title: tr("The widget as visitors see it"), class: "preview" });
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
  const propose = button(tr("Suggest from my site"), async () => {
    if (missing([[site, tr("Enter the address of your site, like https://shop.example.com.")]])) return;
    if (propose.ariaDisabled === "true") return;
    propose.ariaDisabled = "true";
    said.said(tr("Reading the page…"));
    try {
      const found = await call<Look>("POST", "/widget/look", { url: site.value.trim() });
      suggest(found);
      const parts = [found.name && tr("name"), found.icon && tr("icon"), found.color && tr("colour")].filter(Boolean);
      said.said(parts.length
        ? tr("Found: {parts}. Look at the preview, then save.", { parts: parts.join(", ") })
        : tr("The page states no name, icon or colour."));
    } catch (error) {
      said.refused(error, { url: site });
    }
    propose.ariaDisabled = null;
  });
  return [h("div", { class: "propose" }, labelled(tr("Your site"), site), propose), ...said.nodes];
}

// placedAt is about the chosen website; each has a snippet of its own.
async function placedAt(site: string): Promise<Placed> {
  if (several() && !site) return { snippet: tr("Each website has a snippet of its own: choose the website in the bar at the top.") };
  return call<Placed>("GET", "/widget?site=" + site);
}

// placement is the snippet, and where it was seen.
function placement(): { nodes: HTMLElement[]; load(): Promise<void> } {
  const { node, code: snippet } = snippetBox(tr("Copy the snippet"));
  snippet.id = "widget-snippet";
  const seen = h("p", { class: "hint", role: "status" });
  const page = h("a", { id: "chat-page", ...newTab });
  const alone = h("p", { class: "hint" }, tr("The chat also has a page of its own, for links and QR codes:") + " ", page);
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
      const parts = placed.seen.map((s) =>
        h("span", { class: "seen" }, h("span", { class: "tag good" }, tr("Seen")), " " + tr("on {host}", { host: s.host }) + " ",
        agoTime(s.at)));
      seen.replaceChildren(...(parts.length
        ? parts
        : [tr("Not seen on a site yet. Once the snippet is in one of your pages, open that page and its chat.")]));
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
        section(tr("On your site"),
          h("p", { class: "hint" }, tr("Paste this before </body> on every page that should have the chat.")), ...placed.nodes),
        section(tr("Look and texts"), ...suggestion(suggest), look.node)),
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
