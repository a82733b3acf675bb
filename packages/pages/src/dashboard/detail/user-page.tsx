import { useState } from "preact/hooks";
import { listNamed } from "../lists/index.ts";
import { List } from "../table/list-page.tsx";
import { Code } from "../values/values.tsx";

/** Shows a user's balances and activity. */
export function UserPage({ address }: { address: string }) {
  return (
    <>
      <div class="title">
        <h1>User</h1>
        <Code value={address} />
      </div>
      {["balances", "orders", "operations", "sends"].map((name) => (
        <SubList key={name} name={name} fixed={{ userAddress: address }} />
      ))}
    </>
  );
}

/** Shows a list of one user's or key's rows. Its page is not in the URL, which names only the user or the key. */
export function SubList({ name, fixed }: { name: string; fixed: Readonly<Record<string, unknown>> }) {
  const [query, setQuery] = useState<Record<string, string>>({});
  const spec = listNamed(name);
  if (!spec) return null;
  const change = (next: Record<string, unknown>) =>
    setQuery(
      Object.fromEntries(
        Object.entries(next).flatMap(([key, value]) => (value ? [[key, String(value)]] : [])),
      ),
    );
  return (
    <div class="panel">
      <h2>{spec.title}</h2>
      <List spec={spec} query={query} onQuery={change} fixed={fixed} />
    </div>
  );
}
