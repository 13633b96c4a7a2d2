// Modules that the inbox shares with the parts that load later. A module that keeps state must be listed here.

export * from "./api";
export * from "./ask";
export * from "./avatar";
export * from "./dom";
export * from "./drafts";
export * from "./format";
export * from "./health";
export * from "./list";
export * from "./me";
export * from "./nav";
export * from "./organise";
export * from "./store";
