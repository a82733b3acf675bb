import { LISTS, type SampleCall } from "./call.ts";

const SET_UP = `from partner_trading import PartnerTrading

# Reads PARTNER_TRADING_BASE_URL, _API_KEY, _API_SECRET, _CHAIN_ID and _PRODUCT.
trading = PartnerTrading()
`;

/** Returns the call with the Python client (packages/client/python). */
export function pythonSample(call: SampleCall): string {
  const { method, path, clientMethod, query, body, isStream } = call;
  if (isStream) {
    const given = Object.entries(query).map(([name, value]) => `${name}=${argument(name, value)}`);
    const [group] = clientMethod.split(".");
    return `${SET_UP}\nfor event in trading.${group}(${given.join(", ")}):\n    print(event)\n`;
  }
  const input = body ?? query;
  const args = [JSON.stringify(path), ...(Object.keys(input).length > 0 ? [literal(input)] : [])];
  return `${SET_UP}\ndata = trading.${method.toLowerCase()}(${args.join(", ")})\nprint(data)\n`;
}

/** Returns the text of an argument; what commas separate is a list in Python. */
const argument = (name: string, value: unknown) =>
  LISTS.includes(name)
    ? `[${String(value)
        .split(",")
        .map((item) => JSON.stringify(item))
        .join(", ")}]`
    : JSON.stringify(value);

/** Inputs hold texts and numbers only, which Python writes as JSON does. */
function literal(input: object): string {
  const fields = Object.entries(input).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return fields.length > 2
    ? `{\n${fields.map((field) => `    ${field},\n`).join("")}}`
    : `{${fields.join(", ")}}`;
}
