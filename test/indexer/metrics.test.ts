import { expect, it } from "@jest/globals";
import { Counter, Gauge, Registry } from "prom-client";
import { mergeMetrics } from "../../indexer/metrics.ts";

/** Returns metrics as a process renders them: its memory, and blocks by chain where it is Ponder. */
async function rendered(memory: number, ponder?: { chain: string; blocks: number }): Promise<string> {
  const registry = new Registry();
  new Gauge({ name: "memory_bytes", help: 'Memory, as in # HELP {a="b"} 1', registers: [registry] }).set(
    memory,
  );
  if (ponder) {
    new Gauge({ name: "pool", help: "Pool", labelNames: ["state"], registers: [registry] }).set(
      { state: "idle" },
      3,
    );
    const labelNames = ["note", "chain"];
    const blocks = new Counter({ name: "blocks_total", help: "Blocks", labelNames, registers: [registry] });
    blocks.inc({ chain: ponder.chain, note: 'the "first" } 2' }, ponder.blocks);
  }
  return registry.metrics();
}

it("metrics of chains stand beside those of the process that runs them, by chain", async () => {
  const chains = new Map([
    [1, await rendered(20, { chain: "1", blocks: 5 })],
    [137, await rendered(30, { chain: "137", blocks: 7 })],
  ]);
  expect(mergeMetrics(await rendered(10), chains).split("\n")).toEqual([
    '# HELP memory_bytes Memory, as in # HELP {a="b"} 1',
    "# TYPE memory_bytes gauge",
    "memory_bytes 10",
    'memory_bytes{chain="1"} 20',
    'memory_bytes{chain="137"} 30',
    "",
    "# HELP pool Pool",
    "# TYPE pool gauge",
    'pool{state="idle",chain="1"} 3',
    'pool{state="idle",chain="137"} 3',
    "",
    "# HELP blocks_total Blocks",
    "# TYPE blocks_total counter",
    'blocks_total{chain="1",note="the \\"first\\" } 2"} 5',
    'blocks_total{chain="137",note="the \\"first\\" } 2"} 7',
    "",
  ]);
});

it("metrics are the process's own while Ponder does not answer", async () => {
  expect(mergeMetrics(await rendered(10), new Map())).toContain("\nmemory_bytes 10\n");
});

it("metrics leave out what is no family: text before the first, and a family without its type", () => {
  const family = "# HELP up Up\n# TYPE up gauge\nup 1\n";
  expect(mergeMetrics(`text\nof a proxy\n${family}# HELP cut Cut`, new Map([[1, ""]]))).toBe(family);
});
