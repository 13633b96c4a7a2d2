// The platforms' marks: simple signs in their colours; and codes for phones.

import type { BridgeKind } from "../../types";

const make = (tag: string, attributes: Record<string, string>): SVGElement => {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, value);
  return el;
};

// markOf draws a platform's sign.
export function markOf({ colour, shape, dots, lines }: BridgeKind["icon"]): SVGElement {
  const svg = make("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true" });
  svg.append(make("rect", { width: "32", height: "32", rx: "9", fill: colour }));
  const drawn = { fill: "none", "stroke-linecap": "round" };
  if (shape) svg.append(make("path", { d: shape, fill: "#fff" }));
  if (dots) svg.append(make("path", { d: dots, stroke: colour, "stroke-width": "3.400", ...drawn }));
  if (lines) svg.append(make("path", { d: lines, stroke: "#fff", "stroke-width": "2.600", ...drawn }));
  return svg;
}

// codeOf draws a QR code from the data of its path, with the quiet zone that scanners need.
export function codeOf(path: string, label: string): SVGElement {
  const size = Math.max(...[...path.matchAll(/M\d+ (\d+)/g)].map((m) => Number(m[1]))) + 1;
  const svg = make("svg", { class: "qr", viewBox: "-4 -4 " + (size + 8) + " " + (size + 8), role: "img", "aria-label": label,
    "shape-rendering": "crispEdges" });
  svg.append(make("path", { d: path }));
  return svg;
}
