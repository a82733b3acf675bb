/** The groups of endpoints, a feature each, by the first segment of their paths. */
export const TAGS = [
  {
    name: "Portfolio",
    description: "Configuration of the scoped chain and product, and what users hold.",
    segments: ["config", "users"],
  },
  {
    name: "Market",
    description: "Tradable stock tokens, quotes, price history and corporate actions.",
    segments: ["symbols", "prices", "underlying", "corporate-action"],
  },
  {
    name: "Orders",
    description: "Placing, recording, listing and canceling orders.",
    segments: ["orders"],
  },
  {
    name: "Cash",
    description: "Deposits and withdrawals of cash tokens against mUSD, instant or queued.",
    segments: ["cash"],
  },
  {
    name: "Stock",
    description: "Moving stock tokens between wallet and exchange.",
    segments: ["stock"],
  },
  {
    name: "One click",
    description: "Letting this service send for a user: the delegation behind every /send endpoint.",
    segments: ["1ct"],
  },
] as const;

/** @throws Error for a path that belongs to no group */
export function tagOf(path: string): string {
  const segment = path.split("/")[1] ?? "";
  const tag = TAGS.find(({ segments }) => (segments as readonly string[]).includes(segment));
  if (!tag) throw new Error(`${path} belongs to no tag`);
  return tag.name;
}
