/** Tokens that the sandbox lists: stock tokens named after real companies, and two cash tokens of different decimals. */

/** `symbol` is the token's, `stockSymbol` the stock's: what callers name in requests. */
export const STOCKS = [
  { stockSymbol: "AAPL", symbol: "AAPLx", name: "Apple Inc." },
  { stockSymbol: "AMZN", symbol: "AMZNx", name: "Amazon.com, Inc." },
  { stockSymbol: "GOOG", symbol: "GOOGx", name: "Alphabet Inc." },
  { stockSymbol: "IBM", symbol: "IBMx", name: "International Business Machines Corporation" },
  { stockSymbol: "META", symbol: "METAx", name: "Meta Platforms, Inc." },
  { stockSymbol: "MSFT", symbol: "MSFTx", name: "Microsoft Corporation" },
  { stockSymbol: "NVDA", symbol: "NVDAx", name: "NVIDIA Corporation" },
  { stockSymbol: "TSLA", symbol: "TSLAx", name: "Tesla, Inc." },
] as const;

export const CASH_TOKENS = [
  { symbol: "USDC", name: "Sandbox USD Coin", decimals: 6 },
  { symbol: "DAI", name: "Sandbox Dai", decimals: 18 },
] as const;
