// System: how relay is doing, in words and with what to do; what waits; storage and backups.

import { call } from "../net/api";
import { h } from "../ui/dom";
import { agoTime, fullTime, platformName, sentence } from "../ui/format";
import type { Page } from "./page";
import { button, outcome, section } from "./settings";
import { mixed } from "../ui/sentences";
import { tr } from "../ui/texts";

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

const kinds: Record<string, string> = { sqlite: tr("SQLite file"), postgres: "PostgreSQL", memory: tr("Memory") };
const words = { ok: "OK", warn: tr("Look at this"), fail: tr("Does not work") };

function bytes(n: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const at = n < 1 ? 0 : Math.min(Math.floor(Math.log10(n) / 3), units.length - 1);
  return (n / 1000 ** at).toFixed(at > 1 ? 1 : 0) + " " + units[at];
}

const name = (of: string): string => ({ webhook: tr("Webhook"), ai: tr("AI"), push: tr("Notifications") })[of] ?? platformName(of);

function finding(f: Finding): HTMLElement {
  return h("li", { class: "finding " + f.level }, h("b", {}, sentence(name(f.subject)) + ": "),
    h("span", { class: "sr" }, words[f.level] + ". "), sentence(f.text) + ".",
    !!f.fix && f.level !== "ok" && h("p", { class: "hint" }, sentence(f.fix) + "."),
    !!f.details && h("details", {}, h("summary", {}, tr("Details")), h("code", {}, f.details)));
}

function queues(title: string, list: Queue[]): HTMLElement {
  const rows = list.map((q) => h("li", {}, h("b", {}, name(q.name)), ": ",
    ...mixed(tr("{waiting}, the oldest for {time}", { waiting: q.waiting }), { time: agoTime(q.oldest) })));
  return h("div", {}, h("h3", {}, title), rows.length ? h("ul", { class: "found" }, ...rows)
    : h("p", { class: "hint" }, tr("Nothing waits.")));
}

// facts are about the storage, each with its name.
function facts({ storage, disk }: System): [string, string][] {
  const all: [string, string][] = [[tr("Database"), kinds[storage.kind] ?? storage.kind],
    [tr("Size, including visitors’ files"), bytes(storage.size)]];
  if (storage.log) all.push([tr("Write-ahead log"), bytes(storage.log)]);
  if (disk.total) all.push([tr("Free on its disk"), tr("{free} of {total}", { free: bytes(disk.free), total: bytes(disk.total) })]);
  return all;
}

// backupsText says how backups are made, or how to have some.
function backupsText({ backups, storage }: System): (Node | string)[] {
  if (backups.dir) {
    return mixed(tr("One a day in {folder}, the last {keep} are kept. Set by {dir} and {number}. " +
      "A backup has messages and keys: keep it safe.", { keep: backups.keep }),
      { folder: h("code", {}, backups.dir), dir: h("code", {}, "BACKUP_DIR"), number: h("code", {}, "BACKUP_KEEP") });
  }
  if (storage.kind !== "sqlite") return [tr("Back up PostgreSQL with its own tools, such as pg_dump.")];
  return mixed("relay makes no automatic backups. For daily ones, set {dir} to a folder, preferably on another disk, and restart relay. " +
    "A backup contains messages and keys: keep it safe.", { dir: h("code", {}, "BACKUP_DIR") });
}

const backup = (f: System["backups"]["files"][number]): HTMLElement =>
  h("li", {}, h("a", { href: "/api/admin/system/backups/" + encodeURIComponent(f.name), download: "" }, f.name),
    h("span", { class: "hint" }, " " + bytes(f.size) + ", " + fullTime(f.at)));

export function systemPage(): Page {
  const health = h("ul", { class: "findings", "aria-label": tr("Health") });
  const waiting = h("div", {});
  const storage = h("dl", { class: "facts" });
  const files = h("ul", { class: "found", "aria-label": tr("Backups") });
  const about = h("p", { class: "hint" });
  const { status, wrong, attempt } = outcome();
  const failed = h("a", { href: "#/channels" }, tr("Failed deliveries are listed on the channels’ cards"));
  const version = h("p", { class: "hint" });
  let timer = 0;

  const draw = (s: System): void => {
    health.replaceChildren(...s.findings.map(finding));
    waiting.replaceChildren(queues(tr("Waiting to be sent to channels"), s.deliveries),
      queues(tr("Received, not yet processed"), s.updates));
    storage.replaceChildren(...facts(s).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    about.replaceChildren(...backupsText(s));
    now.hidden = !s.backups.dir || s.storage.kind !== "sqlite";
    download.hidden = s.storage.kind !== "sqlite";
    download.textContent = s.backups.dir ? tr("Download a new backup") : tr("Back up now");
    download.className = now.hidden ? "button small main" : "button small";
    files.replaceChildren(...s.backups.files.map(backup));
    version.textContent = tr("relay {version}", { version: s.version });
  };
  const load = (): Promise<void> => attempt(tr("Not loaded"), async () => draw(await call<System>("GET", "/system")));
  const now = button(tr("Back up now"), () => attempt(tr("Not backed up"), async () => {
    status.textContent = tr("Backing up…");
    const done = await call<{ name: string }>("POST", "/system/backups");
    status.textContent = tr("Made {name}, and checked that it is complete.", { name: done.name });
    await load();
  }));
  // The browser shows how far it is, and keeps nothing of a large file in memory.
  const download = h("a", { href: "/api/admin/system/backup", download: "", class: "button small", hidden: true,
    onclick: () => (status.textContent = tr("relay makes a copy; the download starts once it is checked.")) });
  now.hidden = true;
  return {
    node: h("div", {}, wrong, section(tr("Health"), health), section(tr("Queues"), waiting, h("p", { class: "hint" }, failed)),
      section(tr("Storage"), storage),
      section(tr("Backups"), about, h("div", { class: "buttons" }, now, download), status, files), section(tr("Version"), version,
        h("p", { class: "hint" }, h("a", { href: "/docs/operations#upgrade", target: "_blank", rel: "noopener" }, tr("How to upgrade")),
          ". " + tr("relay never looks for new versions by itself.")))),
    opened() {
      void load();
      timer = setInterval(() => void load(), 20_000);
    },
    left: () => clearInterval(timer),
  };
}
