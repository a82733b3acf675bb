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

/** Returns true where a role may open a view: a user's page is for operators, too. */
export const mayGo = (name: string, role: string): boolean =>
  role === "operator" ||
  !(name === "user" || VIEWS.some((view) => view.name === name && view.isForOperators));
