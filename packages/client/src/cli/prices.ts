import { type ListedPrice, PartnerTrading } from "../index.ts";
import { type CredentialOptions, findCredentials, withCredentials } from "./credentials.ts";
import { causeOf } from "./exchange.ts";
import { createCommand, note, painter, print, type Style, type Terminal } from "./terminal.ts";

interface PricesOptions extends CredentialOptions {
  json?: true;
}

const EXAMPLES = `
Examples:
  $ partner-trading prices
  $ partner-trading prices AAPL MSFT --json`;

/** `partner-trading prices`: prints prices as they change. */
export function pricesCommand(terminal: Terminal) {
  const command = createCommand("prices", terminal)
    .description("Prints prices per token as they change, those of each stock first")
    .argument("[symbols...]", "only these; all that are listed by default")
    .option("--json", "print each price whole, as JSON on one line")
    .action((symbols: string[], options: PricesOptions) => followPrices(terminal, symbols, options));
  return withCredentials(command).addHelpText("after", EXAMPLES);
}

async function followPrices(
  terminal: Terminal,
  symbols: readonly string[],
  options: PricesOptions,
): Promise<void> {
  const credentials = await findCredentials(terminal, options);
  const onDisconnect = (error: unknown) =>
    note(terminal, `The connection is lost, and made again: ${causeOf(error)}`);
  const stream = new PartnerTrading(credentials).prices.stream(
    { symbols: symbols.length > 0 ? symbols : undefined },
    { signal: terminal.interrupted, onDisconnect },
  );
  let shown = "";
  for await (const price of stream.follow()) {
    const { market } = stream;
    const state = market ? `${market.session}${market.stale ? ", quotes are stale" : ""}` : "";
    if (state !== shown) note(terminal, `The market is ${state}`);
    shown = state;
    if (price !== null)
      print(terminal, options.json ? JSON.stringify(price) : presentPrice(price, painter(terminal)));
  }
}

/** Returns a price on one line: its time, stock, price, bid and ask per token. */
export function presentPrice(
  { symbol, basicInfo, onChain }: ListedPrice,
  paint: (style: Style, text: string) => string,
): string {
  const time = basicInfo ? new Date(basicInfo.timestamp * 1000).toISOString().slice(11, 19) : "--:--:--";
  const amounts = [onChain.price, onChain.bid, onChain.ask].map((amount) => (amount ?? "-").padStart(12));
  const marks = [...(basicInfo?.stale ? ["stale"] : []), ...(onChain.tradable ? [] : ["takes no orders"])];
  const line = `${time}  ${paint("cyan", symbol.padEnd(6))} ${amounts.join(" ")}`;
  return marks.length > 0 ? `${line}  ${paint("yellow", marks.join(", "))}` : line;
}
