// How the platforms bring operators' answers: relay asks for them, unless these settings make the platforms push them.

import { h } from "../../ui/dom";
import { check, secret, text } from "../controls";
import { form, type Form } from "../form";

export function pushed(): Form {
  return form([
    { name: "telegramWebhookSecret", label: "Telegram: webhook secret", control: secret("None: relay fetches answers itself"),
      hint: "With one, and a public https:// address, Telegram pushes answers to relay. 1 to 256 letters, digits, _ and -." },
    { name: "enableDiscordGateway", label: "Discord: receive answers through the gateway", control: check(),
      hint: "Without it, relay only sends." },
    { name: "discordPublicKey", label: "Discord: public key", control: text({ class: "input code", maxlength: 64 }),
      hint: "For commands that Discord posts to relay’s address. 64 hexadecimal digits, under General Information." },
    { name: "slackAppToken", label: "Slack: App-Level Token", control: secret("None"),
      hint: "With one, answers arrive through Socket Mode, which needs no public address." },
    { name: "slackSigningSecret", label: "Slack: Signing Secret", control: secret("None"),
      hint: "For answers that Slack posts to relay’s address, under Basic Information." },
    { name: "slackOtherWorkspaces", label: "Slack: people of other workspaces may answer", control: check(),
      hint: "In channels shared through Slack Connect. Their commands never have an effect." },
  ], (n) => [h("details", { class: "panel more" }, h("summary", {}, "How answers arrive"), ...Object.values(n) as Node[])]);
}
