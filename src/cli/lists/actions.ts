import { writeAudit } from "../../auth/audit.ts";
import type { PrismaClient } from "../../db/generated/client.ts";
import { type Column, printJson, printTable } from "../output.ts";
import { withPrisma } from "../prisma.ts";
import { operator, type Terminal } from "../terminal.ts";
import { recount } from "./recount.ts";

interface JsonOption {
  json?: boolean;
}

interface SettledChain {
  chainId: number;
  settledBlock: bigint;
  complete: boolean;
  unsettledClaims: number;
}

const COLUMNS: Column<SettledChain>[] = [
  { heading: "CHAIN", value: ({ chainId }) => chainId },
  { heading: "STATE", value: ({ complete }) => (complete ? "complete" : "being filled") },
  { heading: "SETTLED BLOCK", value: ({ settledBlock }) => settledBlock.toString(), align: "right" },
  { heading: "UNSETTLED CLAIMS", value: ({ unsettledClaims }) => unsettledClaims, align: "right" },
];

export function show(terminal: Terminal, options: JsonOption): Promise<void> {
  return withPrisma(terminal, ({ prisma }) => showChains(terminal, prisma, options));
}

async function showChains(terminal: Terminal, prisma: PrismaClient, { json }: JsonOption): Promise<void> {
  const rows = await prisma.settledChain.findMany({ orderBy: { chainId: "asc" } });
  const chains: SettledChain[] = [];
  for (const { chainId, blockNumber: settledBlock, complete } of rows) {
    const unsettledClaims = await prisma.unsettledClaim.count({ where: { chainId } });
    chains.push({ chainId, settledBlock, complete, unsettledClaims });
  }
  if (json) return printJson(terminal, chains);
  printTable(terminal, chains, COLUMNS, "Nothing is settled yet: the worker begins once a chain is indexed.");
}

export function rebuild(terminal: Terminal, options: JsonOption): Promise<void> {
  return withPrisma(terminal, async ({ prisma, pool }) => {
    await recount(terminal, pool);
    await prisma.$transaction(async (tx) => {
      const { count } = await tx.settledChain.updateMany({ data: { complete: false, filledTo: null } });
      const entry = { action: "lists rebuild", subject: "lists", detail: { chains: count } };
      await writeAudit(tx, { actor: operator(), ...entry });
    });
    await showChains(terminal, prisma, options);
  });
}
