// Search over the headings of the documentation and the texts below them, which are all in its page.

interface Place {
  link: HTMLAnchorElement;
  page: string;
  title: string;
  text: string;
}

// most is how many results are shown: whoever looks further needs another word.
const most = 40;

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function places(): Place[] {
  return [...document.querySelectorAll<HTMLElement>("#places section")].flatMap((section) => {
    const page = section.querySelector("h2")!.textContent!;
    return [...section.querySelectorAll<HTMLElement>("li")].map((row) => {
      const link = row.querySelector("a")!;
      return { link, page, title: link.textContent!, text: row.dataset["text"]! };
    });
  });
}

// weight says how well a place answers: 0 is not at all. Every word has to be somewhere; in a heading it counts most.
function weight(place: Place, words: string[]): number {
  let sum = 0;
  for (const word of words) {
    const start = new RegExp("(^|[^a-z0-9])" + escaped(word), "i");
    const here = place.title.toLowerCase();
    if (here === word) sum += 60;
    else if (start.test(place.title)) sum += 20;
    else if (here.includes(word)) sum += 8;
    else if (start.test(place.page)) sum += 5;
    else if (start.test(place.text)) sum += 3;
    else if (place.text.toLowerCase().includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

// anyOf finds the words in a text: one or two letters only as a word of their own, because every text is full of them.
const anyOf = (words: string[]): string =>
  words.map((word) => (word.length < 3 ? "\\b" + escaped(word) + "\\b" : escaped(word))).join("|");

// marked is a text whose matches are marked.
function marked(text: string, words: string[]): (Node | string)[] {
  const parts = text.split(new RegExp("(" + anyOf(words) + ")", "i"));
  return parts.map((part, i) => {
    if (i % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

// excerpt is the text around the first match, cut between words.
function excerpt(text: string, words: string[]): string {
  const at = text.search(new RegExp(anyOf(words), "i"));
  const from = at < 80 ? 0 : text.indexOf(" ", at - 60) + 1;
  const cut = text.slice(from, from + 200);
  const end = from + 200 < text.length ? cut.slice(0, Math.max(cut.lastIndexOf(" "), 80)) + " …" : cut;
  return (from ? "… " : "") + end;
}

function row(place: Place, words: string[]): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const page = document.createElement("span");
  const text = document.createElement("p");
  link.href = place.link.href;
  link.append(...marked(place.title, words));
  page.className = "hint";
  page.textContent = place.page;
  text.append(...marked(excerpt(place.text, words), words));
  item.append(link, " ", page, text);
  return item;
}

function counted(n: number): string {
  if (!n) return "Nothing has all of these words.";
  return n === 1 ? "1 result" : n > most ? "The best " + most + " of " + n + " results. Another word narrows them down." : n + " results";
}

// search shows in a list what the field of the page finds.
export function search(list: HTMLElement): void {
  const field = document.querySelector<HTMLInputElement>("#query")!;
  const all = places();
  const find = (): void => {
    const words = [...new Set(field.value.toLowerCase().split(/\s+/).filter(Boolean))];
    const found = all.map((place) => ({ place, sum: words.length ? weight(place, words) : 0 })).filter(({ sum }) => sum > 0);
    found.sort((a, b) => b.sum - a.sum);
    list.replaceChildren(...found.slice(0, most).map(({ place }) => row(place, words)));
    list.hidden = !words.length;
    document.getElementById("places")!.hidden = !!words.length;
    document.getElementById("found")!.textContent = words.length ? counted(found.length) : "";
  };
  const keep = (): void => history.replaceState(null, "", field.value ? "?q=" + encodeURIComponent(field.value) : location.pathname);
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  if (field.value) find();
  field.addEventListener("input", find);
  field.addEventListener("change", keep);
  field.form!.addEventListener("submit", (e) => {
    e.preventDefault();
    keep();
  });
}
