import { Commands } from "../detail/command-list.tsx";
import { commandsOfChain, commandsOfWallet } from "../detail/commands.ts";
import type { Reading } from "../frame/reading.tsx";
import { chainHref, walletHref } from "../lists/links.tsx";
import type { CardOf, Column } from "../table/list-spec.ts";
import { Panel } from "../table/panel.tsx";
import { counted, counts, duration, NOTHING } from "../values/format.ts";
import { Code, Coins, Status, Text, Time } from "../values/values.tsx";
import type { Chain } from "./chain.ts";

type Queue = Chain["sendQueues"][number] & { chainId: number };

const seconds = (value: number | null) => <Text>{value === null ? null : duration(value)}</Text>;

const CHAIN_COLUMNS: readonly Column<Chain>[] = [
  { id: "chain", title: "Chain", cell: ({ chainId }) => <a href={chainHref(chainId)}>{chainId}</a> },
  { id: "products", title: "Products", cell: ({ products }) => products.join(", ") },
  {
    id: "behind",
    title: "Blocks behind",
    align: "right",
    cell: ({ lagBlocks }) => <Text>{lagBlocks}</Text>,
  },
  {
    id: "indexed",
    title: "Indexed block",
    align: "right",
    cell: ({ indexedBlock }) => <Text>{indexedBlock}</Text>,
  },
  { id: "head", title: "Head block", align: "right", cell: ({ headBlock }) => <Text>{headBlock}</Text> },
  { id: "indexedAt", title: "Block's time", cell: ({ indexedAt }) => <Time at={indexedAt} /> },
  {
    id: "final",
    title: "Final after",
    align: "right",
    cell: ({ confirmations }) => counted(confirmations, "blocks"),
  },
];

/** Returns a wallet's state. "active" says that nobody stopped it: where no worker is alive, its green would say that it sends. */
export function walletState({ state, retired, undelegatedAt }: Chain["sendQueues"][number]): string {
  if (undelegatedAt !== null) return "retired, no users left";
  if (retired) return `retired, ${state}`;
  return state === "active" ? "in use" : state;
}

const chainCard: CardOf<Chain> = (chain) => [
  [<a key="chain" href={chainHref(chain.chainId)}>{`Chain ${chain.chainId}`}</a>, chain.products.join(", ")],
  ["Block's time", <Time key="time" at={chain.indexedAt} />],
  ["Indexed of head", `${chain.indexedBlock ?? NOTHING} of ${chain.headBlock ?? NOTHING}`],
];

const lasting = ({ daysLeft }: Queue) => seconds(typeof daysLeft === "number" ? daysLeft * 86_400 : null);

const QUEUE_COLUMNS: readonly Column<Queue>[] = [
  {
    id: "wallet",
    title: "Wallet",
    cell: ({ wallet, chainId }) => <Code value={wallet} href={walletHref(wallet, chainId)} />,
  },
  { id: "chain", title: "Chain", cell: ({ chainId }) => chainId },
  {
    id: "state",
    title: "State",
    cell: (queue) => <Status word={walletState(queue)} />,
  },
  { id: "why", title: "Reason", cell: ({ stateReason }) => <Text>{stateReason}</Text> },
  { id: "depth", title: "Queue", cell: ({ depth }) => <Text>{counts(depth)}</Text> },
  { id: "oldest", title: "Oldest", align: "right", cell: ({ oldestSeconds }) => seconds(oldestSeconds) },
  {
    id: "balance",
    title: "Balance (coins)",
    align: "right",
    cell: ({ balanceWei }) => <Coins wei={balanceWei} />,
  },
  {
    id: "left",
    title: "Lasts",
    align: "right",
    cell: lasting,
  },
  { id: "next", title: "Next nonce", align: "right", cell: ({ nextNonce }) => <Text>{nextNonce}</Text> },
  {
    id: "onChain",
    title: "Nonce on chain",
    align: "right",
    cell: ({ chainNonce }) => <Text>{chainNonce}</Text>,
  },
  { id: "observed", title: "Checked", cell: ({ observedAt }) => <Time at={observedAt} /> },
  { id: "failures", title: "Failures", cell: ({ failures }) => <Text>{counts(failures)}</Text> },
];

const queueCard: CardOf<Queue> = (queue) => [
  [
    <Code key="wallet" value={queue.wallet} href={walletHref(queue.wallet, queue.chainId)} />,
    <Status key="state" word={walletState(queue)} />,
  ],
  [`Chain ${queue.chainId}`, queue.stateReason ?? (counts(queue.depth) || "nothing waits")],
  [
    <>
      <Coins wei={queue.balanceWei} /> coins
    </>,
    typeof queue.daysLeft === "number" && <>lasts {lasting(queue)}</>,
  ],
  [`Next nonce ${queue.nextNonce ?? NOTHING}`, `on chain ${queue.chainNonce ?? NOTHING}`],
];

interface Props {
  /** Null before they are read. */
  chains: readonly Chain[] | null;
  /** Left out where the page shows its state. */
  answer?: Reading;
}

export function ChainsTable({ chains, answer }: Props) {
  return (
    <Panel
      title="Chains"
      empty="There is no chain."
      {...(answer && { answer })}
      rows={chains}
      columns={CHAIN_COLUMNS}
      cardOf={chainCard}
      idOf={({ chainId }) => String(chainId)}
    />
  );
}

/** Shows the commands that concern chains and wallets. */
export function ChainCommands({ chains }: { chains: readonly Chain[] }) {
  const commands = chains.flatMap((chain) => [
    commandsOfChain(chain),
    ...chain.sendQueues.flatMap((queue) => commandsOfWallet({ ...queue, chainId: chain.chainId })),
  ]);
  return <Commands of={commands} />;
}

export function QueuesTable({ chains, answer }: Props) {
  const queues = chains?.flatMap(({ chainId, sendQueues }) =>
    sendQueues.map((queue) => ({ ...queue, chainId })),
  );
  return (
    <Panel
      title="Send queues"
      empty="No wallet sends here."
      {...(answer && { answer })}
      rows={queues ?? null}
      columns={QUEUE_COLUMNS}
      cardOf={queueCard}
      idOf={({ chainId, wallet }) => `${chainId} ${wallet}`}
    />
  );
}
