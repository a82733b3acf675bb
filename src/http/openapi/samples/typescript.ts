import { LISTS, type SampleCall } from "./call.ts";

const SET_UP = `import { PartnerTrading } from "partner-trading";

// Reads PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT.
const trading = new PartnerTrading();
`;

/** Returns the call with the client library `partner-trading` (packages/client/src). */
export function typescriptSample({ clientMethod, pathValues, query, body, isStream }: SampleCall): string {
  const input = body ?? (isStream ? withLists(query) : query);
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(Object.keys(input).length > 0 ? [literal(input)] : []),
  ];
  const call = `trading.${clientMethod}(${args.join(", ")})`;
  if (!isStream) return `${SET_UP}\nconst data = await ${call};\nconsole.log(data);\n`;
  return `${SET_UP}\nfor await (const event of ${call}) {\n  console.log(event);\n}\n`;
}

/** Returns the query of a stream as its method takes it: what commas separate is a list. */
const withLists = (query: SampleCall["query"]): object =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      LISTS.includes(name) ? String(value).split(",") : value,
    ]),
  );

function literal(input: object): string {
  const fields = Object.entries(input).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return fields.length > 2
    ? `{\n${fields.map((field) => `  ${field},\n`).join("")}}`
    : `{ ${fields.join(", ")} }`;
}
