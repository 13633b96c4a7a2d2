// A page of settings, as the frame around it sees it.

import type { Form } from "./form";
import type { Settings } from "./settings";

export interface Page {
  node: HTMLElement;
  // form has the changes that the bar at the bottom counts, saves and discards.
  form?: Form;
  // show is called whenever the page is opened or the settings changed; what is being typed stays.
  // If it rejects, the frame says so.
  show?(settings: Settings): void | Promise<void>;
  // opened and left are called when the page comes into view and goes out of it.
  opened?(): void;
  left?(): void;
}
