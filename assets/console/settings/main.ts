// The page of settings, in a file of its own that the console loads when the page is opened.

import { byId } from "../dom";
import { aiSection } from "./ai";
import { answersSection } from "./answers";
import { hoursSection } from "./hours";
import { load } from "./settings";

const sections = [hoursSection(), answersSection(), aiSection()];

// open reads what may have changed since the page was last looked at. What is being typed stays.
async function open(): Promise<void> {
  if (!location.hash.startsWith("#/settings")) return;
  const settings = await load();
  for (const section of sections) section.show(settings);
}

byId("settings-list").replaceChildren(...sections.map((section) => section.node));
addEventListener("hashchange", open);
void open();
