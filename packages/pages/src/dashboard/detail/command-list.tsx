import { Copy } from "../values/values.tsx";
import type { Command } from "./commands.ts";

/** Commands of docs/operations/cli.md, filled in: this page changes nothing itself. */
export function Commands({ of }: { of: readonly Command[] }) {
  return (
    <section class="panel commands" aria-label="Commands">
      <h2>Commands</h2>
      <dl>
        {of.map(([purpose, command]) => (
          <div key={purpose}>
            <dt>{purpose}</dt>
            <dd class="code">
              <code>{command}</code>
              <Copy value={command} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
