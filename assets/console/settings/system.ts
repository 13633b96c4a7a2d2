// System: how relay is doing, in words and with what to do; what waits; storage and backups.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { agoTime, fullTime, platformName, sentence } from "../ui/format";
import type { Page } from "./page";
import { button, outcome, section } from "./settings";

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

// facts are about the storage, each with its name.
function facts({ storage, disk }: System): [string, string][] {
  const all: [string, string][] = [["Database", kinds[storage.kind] ?? storage.kind],
    ["Size, including visitors’ files", bytes(storage.size)]];
  if (storage.log) all.push(["Write-ahead log", bytes(storage.log)]);
  if (disk.total) all.push(["Free on its disk", bytes(disk.free) + " of " + bytes(disk.total)]);
  return all;
}

// backupsText says how backups are made, or how to have some.
function backupsText({ backups, storage }: System): (Node | string)[] {
  if (backups.dir) {
    return ["One a day in ", h("code", {}, backups.dir), ", the last " + backups.keep + " are kept. Set by ", h("code", {}, "BACKUP_DIR"),
      " and ", h("code", {}, "BACKUP_KEEP"), ". A backup has messages and keys: keep it safe."];
  }
  if (storage.kind !== "sqlite") return ["Back up PostgreSQL with its own tools, such as pg_dump."];
  return ["relay makes no automatic backups. For daily ones, set ", h("code", {}, "BACKUP_DIR"),
    " to a folder, preferably on another disk, and restart relay. A backup contains messages and keys: keep it safe."];
}

const backup = (f: System["backups"]["files"][number]): HTMLElement =>
  h("li", {}, h("a", { href: "/api/admin/system/backups/" + encodeURIComponent(f.name), download: "" }, f.name),
    h("span", { class: "hint" }, " " + bytes(f.size) + ", " + fullTime(f.at)));

export function systemPage(): Page {
  const health = h("ul", { class: "findings", "aria-label": "Health" });
  const waiting = h("div", {});
  const storage = h("dl", { class: "facts" });
  const files = h("ul", { class: "found", "aria-label": "Backups" });
  const about = h("p", { class: "hint" });
  const { status, wrong, attempt } = outcome();
  const failed = h("a", { href: "#/channels" }, "Failed deliveries are listed on the channels’ cards");
  const version = h("p", { class: "hint" });
  let timer = 0;

  const draw = (s: System): void => {
    health.replaceChildren(...s.findings.map(finding));
    waiting.replaceChildren(queues("Waiting to be sent to channels", s.deliveries), queues("Received, not yet processed", s.updates));
    storage.replaceChildren(...facts(s).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    about.replaceChildren(...backupsText(s));
    now.hidden = !s.backups.dir || s.storage.kind !== "sqlite";
    download.hidden = s.storage.kind !== "sqlite";
    download.textContent = s.backups.dir ? "Download a new backup" : "Back up now";
    download.className = now.hidden ? "button small main" : "button small";
    files.replaceChildren(...s.backups.files.map(backup));
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
