// Modules that the inbox shares with the parts that load later. A module that keeps state must be listed here.

export * from "./net/api";
export * from "./ui/ask";
export * from "./ui/avatar";
export * from "./ui/dom";
export * from "./state/drafts";
export { tell } from "./inbox/command";
export * from "./ui/focus";
export * from "./ui/format";
export * from "./ui/texts";
export * from "./net/bridges";
export * from "./inbox/list";
export * from "./state/me";
export * from "./state/sites";
export * from "./net/load";
export * from "./shell/nav";
export * from "./inbox/organise";
export { clearOutbox, enqueue } from "./inbox/outbox";
export { receive } from "./net/receive";
export * from "./state/store";
export { leave, uploadsOf } from "./inbox/write";
export { randomId } from "../shared/random";
export { sizeOf } from "../shared/size";
