interface View {
  name: string;
  title: string;
  key: string;
  /** True where it shows user addresses, or the audit log: viewers are refused. */
  isForOperators?: boolean;
}

/** Entries of the navigation, with the key that leads there after `g`. */
export const VIEWS: readonly View[] = [
  { name: "overview", title: "Overview", key: "v" },
  { name: "orders", title: "Orders", key: "o" },
  { name: "operations", title: "Operations", key: "p" },
  { name: "sends", title: "Sends", key: "s" },
  { name: "balances", title: "Balances", key: "b", isForOperators: true },
  { name: "keys", title: "Keys", key: "k" },
  { name: "requests", title: "Requests", key: "r" },
  { name: "events", title: "Events", key: "e" },
  { name: "webhooks", title: "Webhooks", key: "w" },
  { name: "audit", title: "Audit log", key: "a", isForOperators: true },
];

/** Entries that pages of one object, and lists without an entry, are below. */
const VIEW_OF: Readonly<Record<string, string>> = {
  order: "orders",
  operation: "operations",
  send: "sends",
  transaction: "sends",
  user: "balances",
  key: "keys",
  request: "requests",
  webhook: "webhooks",
  delivery: "webhooks",
  deliveries: "webhooks",
  chain: "overview",
  wallet: "overview",
};

/** Returns how an entry of the navigation is marked: as the page itself, or as what the page is below. */
export const currentOf = (entry: string, view: string): "page" | "true" | undefined =>
  entry === view ? "page" : VIEW_OF[view] === entry ? "true" : undefined;

/** Returns true where a role may open a view: a user's page is for operators, too. */
export const mayGo = (name: string, role: string): boolean =>
  role === "operator" ||
  !(name === "user" || VIEWS.some((view) => view.name === name && view.isForOperators));
