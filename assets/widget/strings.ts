// strings.ts holds the panel's English in one place. They are constants, which
// the build puts where they are used.

export const chat = "Chat";
export const close = "Close chat";
export const messages = "Messages";
export const online = "Online now";
export const away = "Away – leave a message";
export const back = "Back";
export const at = "at";
export const replies = "Usually replies";
export const person = "Talk to a person";
export const sources = "Sources";
export const connecting = "Connecting…";
export const lost = "Connection lost. Trying again…";
export const you = "You";
export const operator = "Support";
export const assistant = "Assistant";
export const ai = "AI";
export const write = "Write a message…";
export const send = "Send";
export const save = "Save";
export const attach = "Attach files";
export const editing = "Editing a message";
export const edit = "Edit";
export const reply = "Reply";
export const replyTo = "Reply to";
export const earlier = "An earlier message";
export const file = "File";
export const edited = "edited";
export const remove = "Delete";
export const removeAsk = "Delete this message?";
export const keep = "Keep";
export const cancel = "Cancel";
export const deleted = "Message deleted";
export const notSent = "Not sent.";
export const again = "Try again";
export const discard = "Discard";
export const typing = "is typing";
export const closed = "This chat was closed. Write again to reopen it.";
export const wasClosed = "Chat closed";
export const wasReopened = "Chat reopened";
export const rated = "You rated this chat";
export const newest = "Go to the newest message";
export const start = "Start chat";
export const skip = "Skip";
export const required = "Please fill in this field.";
export const badEmail = "Please check the e-mail address.";
export const unsaved = "The change was not saved. Try again.";
export const failed = "That did not work. Please try again.";
export const rateAsk = "How was this chat?";
export const rateLow = "Poor";
export const rateHigh = "Great";
export const comment = "Anything to add? (optional)";
export const notNow = "Not now";
export const thanks = "Thank you for your feedback.";
export const uploading = "Uploading";
export const takeAway = "Remove";
export const badFiles = "First remove the files that cannot be sent.";

/** What stands below an own message. */
export const marks = {
  sending: "Sending…",
  sent: "Sent",
  delivered: "Delivered",
  read: "Read",
};

/** Why nothing more can be written. */
export const stops = {
  unauthorized: "The chat is not available: its key is not valid any more.",
  blocked: "You can no longer write in this chat.",
  forbidden: "The chat is not available on this site.",
  gone: "The chat has ended. Reload the page to start again.",
};
