/** An event of a stream of server-sent events. */
export interface ServerSentEvent {
  id: string | null;
  event: string;
  data: string;
}

/**
 * Creates a parser of server-sent events, which browsers offer only without an Authorization header. It takes the text as it
 * arrives, cut anywhere, and returns the complete events.
 */
export function createSseParser(): (text: string) => ServerSentEvent[] {
  let buffer = "";
  return (text) => {
    buffer += text;
    const blocks = buffer.replaceAll("\r\n", "\n").split("\n\n");
    buffer = blocks.pop() ?? "";
    return blocks.flatMap(eventOf);
  };
}

function eventOf(block: string): ServerSentEvent[] {
  const found: ServerSentEvent = { id: null, event: "message", data: "" };
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const name = line.slice(0, colon);
    if (name === "data") data.push(value);
    if (name === "id") found.id = value;
    if (name === "event") found.event = value;
  }
  return data.length === 0 ? [] : [{ ...found, data: data.join("\n") }];
}
