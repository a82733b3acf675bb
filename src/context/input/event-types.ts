import { EVENT_TYPES, type EventType } from "../../protocol/enums.ts";
import { refuse, text } from "./fields.ts";

/** Names of events, comma separated. */
export const eventTypes = text.meta({ example: "order.filled,operation.*" }).transform(parseTypes);

/** Parses types of events, separated by commas. `order.*` stands for every type that begins with `order.`. */
export function parseTypes(words: string): EventType[] {
  const found = words.split(",").flatMap((word) => {
    const matching = EVENT_TYPES.filter(
      (type) => type === word || (word.endsWith(".*") && type.startsWith(word.slice(0, -1))),
    );
    if (matching.length === 0)
      throw refuse("types", `must be some of ${EVENT_TYPES.join(", ")}, comma separated`);
    return matching;
  });
  return [...new Set(found)];
}
