import type { Command } from "commander";
import { writeAudit } from "../auth/audit.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { createCommand, operator, type Terminal, withEnvironment } from "./shared.ts";

/** `partner-trading-admin lists ...`: the archive that lists read (docs/lists.md). */
export function listsCommand(terminal: Terminal): Command {
  const lists = createCommand("lists", terminal).description("The archive that lists read");
  lists
    .command("show")
    .description("Show how far each chain is settled")
    .action(() => withEnvironment(terminal, ({ prisma }) => showLists(terminal, prisma)));
  lists
    .command("rebuild")
    .description("Have the worker fill the archive anew; lists are slow until it is complete")
    .action(() => withEnvironment(terminal, ({ prisma }) => rebuildLists(terminal, prisma)));
  return lists;
}

async function showLists({ stdout }: Terminal, prisma: PrismaClient): Promise<void> {
  const chains = await prisma.settledChain.findMany({ orderBy: { chainId: "asc" } });
  for (const { chainId, blockNumber, complete } of chains) {
    const unsettled = await prisma.unsettledClaim.count({ where: { chainId } });
    const state = complete ? "complete" : "being filled";
    stdout.write(
      `${chainId}  settled up to block ${blockNumber}, ${state}  ${unsettled} claims not settled\n`,
    );
  }
}

async function rebuildLists(terminal: Terminal, prisma: PrismaClient): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const { count } = await tx.settledChain.updateMany({ data: { complete: false, filledTo: null } });
    await writeAudit(tx, {
      actor: operator(),
      action: "lists rebuild",
      subject: "lists",
      detail: { chains: count },
    });
  });
  await showLists(terminal, prisma);
}
