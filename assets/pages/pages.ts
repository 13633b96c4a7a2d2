// The small comforts of relay's pages: copy buttons and a tidy set-up code. Everything works without it.

function selectText(source: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

// copyText falls back to the selection where the clipboard is withheld, as on plain HTTP in a LAN.
async function copyText(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    return true;
  } catch {
    selectText(source);
    return document.execCommand("copy");
  }
}

function wireCopy(button: HTMLButtonElement): void {
  const source = document.getElementById(button.dataset["copy"] ?? "");
  if (!source) return;
  const labels = (source.getAttribute("aria-labelledby") ?? "").split(" ");
  const copy = button.textContent ?? "";
  const what = document.getElementById(labels[0] ?? "")?.textContent ?? source.textContent ?? "";
  const say = (text: string): void => {
    button.textContent = text;
    button.setAttribute("aria-label", text + ": " + what);
  };
  button.hidden = false;
  say(copy);
  button.addEventListener("click", async () => {
    const ok = await copyText(source);
    say((ok ? button.dataset["copied"] : button.dataset["failed"]) ?? copy);
    setTimeout(say, 2000, copy);
  });
}

// wireCode groups what is typed as XXXX-XXXX-XXXX; it leaves the text alone while the caret is inside it.
function wireCode(input: HTMLInputElement): void {
  input.addEventListener("input", () => {
    if (input.selectionStart !== input.value.length) return;
    const plain = input.value.toUpperCase().replace(/[^A-Z0-9]/g, "").slice(0, 12);
    input.value = plain.match(/.{1,4}/g)?.join("-") ?? "";
  });
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) wireCopy(button);
const code = document.querySelector<HTMLInputElement>("#code");
if (code) wireCode(code);

// In the frame of the set-up page the demo's chat is open: there is one thing to do.
if (location.pathname === "/demo" && self !== top) {
  (window as { RelayChat?: (call: string) => void }).RelayChat?.("open");
  document.querySelector("script[data-api-key]")?.addEventListener("load",
    () => (window as { RelayChat?: (call: string) => void }).RelayChat?.("open"));
}

export {};
