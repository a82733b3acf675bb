/** A document for partners that the api serves. */
export interface Guide {
  /** Last segment of its address. */
  name: string;
  /** As lists of guides name it. */
  title: string;
  /** Path in the repository. */
  file: string;
  /** Subject, for lists of guides. */
  about: string;
}

/** Guides by heading, in the order in which they are read. */
export const GUIDE_GROUPS: Readonly<Record<string, readonly Guide[]>> = {
  "Begin here": [
    {
      name: "quick-start",
      title: "Quick start",
      file: "docs/quick-start.md",
      about: "from an address and a key to a signed request, an order and a webhook",
    },
    {
      name: "authentication",
      title: "Authentication",
      file: "docs/authentication.md",
      about: "signing requests, worked examples and test vectors, answers, code 401",
    },
    {
      name: "clients",
      title: "Clients and examples",
      file: "docs/clients.md",
      about: "libraries, examples to copy, collections",
    },
    {
      name: "typescript",
      title: "TypeScript client",
      file: "packages/client/README.md",
      about: "calls, lists, events, retries and errors of the package",
    },
    { name: "cli", title: "Command line", file: "docs/cli.md", about: "the command `partner-trading`" },
    {
      name: "mcp",
      title: "Tools for models",
      file: "packages/mcp/README.md",
      about: "a server of the Model Context Protocol, read-only by default",
    },
    {
      name: "sandbox",
      title: "Testing in the sandbox",
      file: "docs/SANDBOX.md",
      about: "testing in the sandbox, and its control",
    },
    {
      name: "certification",
      title: "Certification",
      file: "docs/certification.md",
      about: "your program in the faults of production, and the rules that it keeps",
    },
  ],
  Trading: [
    {
      name: "one-click",
      title: "One click",
      file: "docs/one-click.md",
      about: "sending for users who delegated to the service",
    },
    {
      name: "canceling",
      title: "Canceling orders",
      file: "docs/canceling.md",
      about: "one order, many at once, or all where your program dies",
    },
    {
      name: "ownership",
      title: "Ownership",
      file: "docs/ownership.md",
      about: "which key owns an order or operation",
    },
    {
      name: "rate-limits",
      title: "Rate limits",
      file: "docs/rate-limits.md",
      about: "what requests cost, and other limits",
    },
  ],
  "Following what happens": [
    {
      name: "prices",
      title: "Prices",
      file: "docs/prices.md",
      about: "quotes, how fresh they are, and their stream; sessions of the market",
    },
    {
      name: "events",
      title: "Events",
      file: "docs/events.md",
      about: "the log of events, by pages and as a stream",
    },
    {
      name: "webhooks",
      title: "Webhooks",
      file: "docs/webhooks.md",
      about: "receiving events on your server",
    },
  ],
  Releases: [
    {
      name: "versioning",
      title: "Versions",
      file: "docs/versioning.md",
      about: "what a release may change, and how that is announced",
    },
    {
      name: "changelog",
      title: "Changelog",
      file: "CHANGELOG.md",
      about: "what partners see of each release",
    },
  ],
};

export const GUIDES: readonly Guide[] = Object.values(GUIDE_GROUPS).flat();

/** Files that guides hand out, by their path in the repository. */
export const DOWNLOADS: Readonly<Record<string, { path: string; type: string }>> = {
  "docs/signing-vectors.json": { path: "/docs/files/signing-vectors.json", type: "application/json" },
  "packages/client/python/partner_trading.py": {
    path: "/docs/files/partner_trading.py",
    type: "text/x-python",
  },
  "examples/curl.sh": { path: "/docs/files/curl.sh", type: "text/x-shellscript" },
  "examples/certify/bot.mjs": { path: "/docs/files/bot.mjs", type: "text/javascript" },
  "examples/certify/bot.py": { path: "/docs/files/bot.py", type: "text/x-python" },
  "examples/go/main.go": { path: "/docs/files/main.go", type: "text/x-go" },
  "examples/postman/partner-trading.postman_collection.json": {
    path: "/docs/files/partner-trading.postman_collection.json",
    type: "application/json",
  },
  "examples/postman/sandbox.postman_environment.json": {
    path: "/docs/files/sandbox.postman_environment.json",
    type: "application/json",
  },
};
