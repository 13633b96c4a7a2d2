// face.ts draws who wrote: a picture, or the first letter of the name.

import { h } from "../ui/dom";

/** pictureOf is the face of a person of the team, or the one that the settings name. */
export const pictureOf = (id: string | undefined, name: string, team: string, fallback: string | undefined, apiUrl: string) =>
  id ? `${apiUrl}/faces/${id}` : name === team && fallback ? new URL(fallback, apiUrl).href : "";

/** face is decoration: the name stands beside it. */
export function face(name: string, picture?: string): HTMLElement {
  const letter = [...name][0]?.toUpperCase() || "";
  const node = h("span", { class: "avatar", "aria-hidden": "true" }, letter);
  if (!picture) return node;
  const onerror = () => node.replaceChildren(letter);
  node.replaceChildren(h("img", { src: picture, alt: "", onerror }));
  return node;
}
