// The platforms' marks: simple signs of our own in the platforms' colours.

const signs: Record<string, [colour: string, ...paths: string[]]> = {
  telegram: ["#2481cc", "M6 15.500l19-7.500-3.200 16-6-4.400-3 3-.6-5.100 8.300-7.500-10.300 6.500z"],
  discord: ["#5865f2",
    "M10 10c4-1.500 8-1.500 12 0 2 3.500 3 7.500 3 11-1.500 1.300-3 2-4.500 2.500l-1.200-2.200c-2 .6-4.600.6-6.600 0L11.500 23.500C10 23 " +
      "8.500 22.300 7 21c0-3.500 1-7.500 3-11z", "M13 17.500h.01M19 17.500h.01"],
  slack: ["#7b3294", "M13 8v16M19 8v16M8 13h16M8 19h16"],
};

// markOf draws a platform's sign.
export function markOf(name: string): SVGElement {
  const [colour, ...paths] = signs[name] ?? ["#5b6472"];
  const make = (tag: string, attributes: Record<string, string>): SVGElement => {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) el.setAttribute(key, value);
    return el;
  };
  const svg = make("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true" });
  svg.append(make("rect", { width: "32", height: "32", rx: "9", fill: colour }));
  const lines = name === "slack";
  paths.forEach((d, i) =>
    svg.append(make("path", { d,
      ...(lines || i > 0 ? { fill: "none", stroke: i > 0 && !lines ? colour : "#fff", "stroke-width": lines ? "2.600" : "3.400",
        "stroke-linecap": "round" } : { fill: "#fff" }) })));
  return svg;
}

// codeOf draws a QR code from the data of its path, with the quiet zone that scanners need.
export function codeOf(path: string, label: string): SVGElement {
  const size = Math.max(...[...path.matchAll(/M\d+ (\d+)/g)].map((m) => Number(m[1]))) + 1;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "qr");
  svg.setAttribute("viewBox", "-4 -4 " + (size + 8) + " " + (size + 8));
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  const dark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  dark.setAttribute("d", path);
  svg.append(dark);
  return svg;
}
