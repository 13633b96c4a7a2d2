// What the parts of the console that load later share with the inbox. A module that keeps state must stand here.

export * from "./api";
export * from "./ask";
export * from "./avatar";
export * from "./dom";
export * from "./format";
export * from "./health";
export * from "./me";
export * from "./nav";
export * from "./organise";
export * from "./store";
