// sse.ts parses a text/event-stream, as the HTML standard defines it.

export interface StreamEvent {
  name: string;
  data: string;
  id?: string;
}

export interface Parser {
  push(text: string): void;
}

/** createParser calls onEvent for each event and onRetry for a new delay. */
export function createParser(onEvent: (event: StreamEvent) => void, onRetry: (ms: number) => void): Parser {
  let rest = "";
  let event: StreamEvent = { name: "", data: "" };
  let data: string[] = [];

  const dispatch = () => {
    if (data.length) onEvent({ ...event, name: event.name || "message", data: data.join("\n") });
    event = { name: "", data: "" };
    data = [];
  };
  const line = (text: string) => {
    if (!text) return dispatch();
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(text) || [];
    if (field === "data") data.push(value);
    else if (field === "event") event.name = value;
    else if (field === "id" && !value.includes("\0")) event.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) onRetry(Number(value));
  };
  return {
    push(text) {
      rest += text;
      // A CR at the end may be the first half of a CRLF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() || "";
      lines.forEach(line);
    },
  };
}
