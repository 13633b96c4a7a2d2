// The operator who is signed in.

export const me = document.body.dataset["operator"];
