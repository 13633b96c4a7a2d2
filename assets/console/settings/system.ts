// System: how relay is doing, in words and with what to do; what waits; storage and backups.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { agoTime, fullTime, platformName, sentence } from "../ui/format";
import type { Page } from "./page";
import { button, section } from "./settings";

interface Finding {
  subject: string;
  level: "ok" | "warn" | "fail";
  text: string;
  fix?: string;
  details?: string;
}

interface Queue {
  name: string;
  waiting: number;
  oldest: string;
}

interface System {
  version: string;
  findings: Finding[];
  storage: { kind: string; size: number; log: number; check?: string };
  disk: { free: number; total: number };
  deliveries: Queue[];
  updates: Queue[];
  backups: { dir: string; keep: number; files: { name: string; size: number; at: string }[] };
}

const kinds: Record<string, string> = { sqlite: "SQLite file", postgres: "PostgreSQL", memory: "Memory" };
const words = { ok: "OK", warn: "Look at this", fail: "Does not work" };

function bytes(n: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const at = n < 1 ? 0 : Math.min(Math.floor(Math.log10(n) / 3), units.length - 1);
  return (n / 1000 ** at).toFixed(at > 1 ? 1 : 0) + " " + units[at];
}

const name = (of: string): string => ({ webhook: "Webhook", ai: "AI", push: "Notifications" })[of] ?? platformName(of);

function finding(f: Finding): HTMLElement {
  return h("li", { class: "finding " + f.level }, h("b", {}, sentence(name(f.subject)) + ": "),
    h("span", { class: "sr" }, words[f.level] + ". "), sentence(f.text) + ".",
    !!f.fix && f.level !== "ok" && h("p", { class: "hint" }, sentence(f.fix) + "."),
    !!f.details && h("details", {}, h("summary", {}, "Details"), h("code", {}, f.details)));
}

function queues(title: string, list: Queue[]): HTMLElement {
  const rows = list.map((q) => h("li", {}, h("b", {}, name(q.name)), ": " + q.waiting + ", the oldest for ", agoTime(q.oldest)));
  return h("div", {}, h("h3", {}, title), rows.length ? h("ul", { class: "found" }, ...rows) : h("p", { class: "hint" }, "Nothing waits."));
}

export function systemPage(): Page {
  const health = h("ul", { class: "findings", "aria-label": "Health" });
  const waiting = h("div", {});
  const storage = h("dl", { class: "facts" });
  const files = h("ul", { class: "found", "aria-label": "Backups" });
  const about = h("p", { class: "hint" });
  const status = h("p", { class: "hint", role: "status" });
  const wrong = h("p", { class: "alert", role: "alert", hidden: true });
  const failed = h("a", { href: "#/channels" }, "Failed deliveries are listed on the channels’ cards");
  const version = h("p", { class: "hint" });
  let timer = 0;

  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      wrong.hidden = true;
    } catch (error) {
      status.textContent = "";
      wrong.textContent = what + ": " + (error as Error).message;
      wrong.hidden = false;
    }
  };
  const draw = (s: System): void => {
    health.replaceChildren(...s.findings.map(finding));
    waiting.replaceChildren(queues("Waiting to be sent to channels", s.deliveries), queues("Received, not yet processed", s.updates));
    const facts: [string, string][] = [["Database", kinds[s.storage.kind] ?? s.storage.kind],
      ["Size, including visitors’ files", bytes(s.storage.size)]];
    if (s.storage.log) facts.push(["Write-ahead log", bytes(s.storage.log)]);
    if (s.disk.total) facts.push(["Free on its disk", bytes(s.disk.free) + " of " + bytes(s.disk.total)]);
    storage.replaceChildren(...facts.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    about.replaceChildren(...(s.backups.dir
      ? ["One a day in ", h("code", {}, s.backups.dir), ", the last " + s.backups.keep + " are kept. Set by ", h("code", {}, "BACKUP_DIR"),
        " and ", h("code", {}, "BACKUP_KEEP"), ". A backup has messages and keys: keep it safe."]
      : s.storage.kind === "sqlite"
      ? ["relay makes no automatic backups. For daily ones, set ", h("code", {}, "BACKUP_DIR"),
        " to a folder, preferably on another disk, and restart relay. A backup contains messages and keys: keep it safe."]
      : ["Back up PostgreSQL with its own tools, such as pg_dump."]));
    now.hidden = !s.backups.dir || s.storage.kind !== "sqlite";
    download.hidden = s.storage.kind !== "sqlite";
    download.textContent = s.backups.dir ? "Download a new backup" : "Back up now";
    download.className = now.hidden ? "button small main" : "button small";
    files.replaceChildren(
      ...s.backups.files.map((f) =>
        h("li", {}, h("a", { href: "/api/admin/system/backups/" + encodeURIComponent(f.name), download: "" }, f.name),
          h("span", { class: "hint" }, " " + bytes(f.size) + ", " + fullTime(f.at)))));
    version.textContent = "relay " + s.version;
  };
  const load = (): Promise<void> => attempt("Not loaded", async () => draw(await call<System>("GET", "/system")));
  const now = button("Back up now", () => attempt("Not backed up", async () => {
    status.textContent = "Backing up…";
    const done = await call<{ name: string }>("POST", "/system/backups");
    status.textContent = "Made " + done.name + ", and checked that it is complete.";
    await load();
  }));
  // The browser shows how far it is, and keeps nothing of a large file in memory.
  const download = h("a", { href: "/api/admin/system/backup", download: "", class: "button small", hidden: true,
    onclick: () => (status.textContent = "relay makes a copy; the download starts once it is checked.") });
  now.hidden = true;
  return {
    node: h("div", {}, wrong, section("Health", health), section("Queues", waiting, h("p", { class: "hint" }, failed)),
      section("Storage", storage),
      section("Backups", about, h("div", { class: "buttons" }, now, download), status, files), section("Version", version,
        h("p", { class: "hint" }, h("a", { href: "/docs/operations#upgrade", target: "_blank", rel: "noopener" }, "How to upgrade"),
          ". relay never looks for new versions by itself."))),
    opened() {
      void load();
      timer = setInterval(() => void load(), 20_000);
    },
    left: () => clearInterval(timer),
  };
}
