// The operator who is signed in. myId is "" for the secret key, which has no account.

export const me = document.body.dataset["operator"];
export const myId = document.body.dataset["operatorId"] ?? "";
export const administrator = document.body.dataset["role"] === "administrator";
