// The page that is nothing but the chat: it is open, and stays so.

import css from "./chat.css";

interface Chat {
  open(): void;
  on(name: string, fn: () => void): void;
}

const chat = (window as { RelayChat?: Chat }).RelayChat;
const element = document.querySelector<HTMLElement>("relay-chat");
if (chat && element?.shadowRoot) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  element.shadowRoot.adoptedStyleSheets.push(sheet);
  element.dataset.page = "";
  chat.on("close", () => chat.open());
  chat.open();
}
