import { chainHref } from "../lists/links.tsx";
import type { Chain } from "../overview/chain.ts";
import { BalancePlot } from "../overview/plots.tsx";
import { rangeOf } from "../overview/series.ts";
import { walletState } from "../overview/state-tables.tsx";
import { Chains } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { useEvery } from "../service/use-every.ts";
import { counts, duration } from "../values/format.ts";
import { Code, Coins, Text, Time } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfWallet } from "./commands.ts";
import { ObjectPage } from "./object-page.tsx";
import { safeUrl } from "./steps.tsx";
import { Fact } from "./timeline-page.tsx";
import { SubList } from "./user-page.tsx";

const RANGE = rangeOf(undefined);
/** Interval of reading the queue, ms: no event reports it. */
const STATE_MS = 3_000;

type Queue = Chain["sendQueues"][number];

/** Shows a sending wallet of a chain: its queue, its balance over time, and what it sends. */
export function WalletPage({ wallet, chainId }: { wallet: string; chainId: number | undefined }) {
  const answer = useAsk(Chains, {}, NO_EVENT);
  useEvery(STATE_MS, answer.reload);
  const isIt = (queue: Queue) => queue.wallet.toLowerCase() === wallet.toLowerCase();
  const found = answer.data?.dashboard.chains.flatMap((chain) => {
    const queue = chain.sendQueues.find(isIt);
    return queue && (chainId === undefined || chain.chainId === chainId) ? [{ chain, queue }] : [];
  })[0];
  return (
    <ObjectPage
      noun="sending wallet"
      id={wallet}
      title="Sending wallet"
      word={found && walletState(found.queue)}
      answer={answer}
      isFound={found !== undefined}
    >
      {found && <Wallet {...found} />}
    </ObjectPage>
  );
}

function Wallet({ chain, queue }: { chain: Chain; queue: Queue }) {
  const { chainId } = chain;
  const { wallet } = queue;
  const commands = commandsOfWallet({ ...queue, chainId });
  return (
    <>
      <Facts chain={chain} queue={queue} />
      {commands.length > 0 && <Commands of={commands} />}
      <h2>The last 24 hours</h2>
      <div class="plots">
        <BalancePlot chains={[{ ...chain, sendQueues: [queue] }]} range={RANGE} />
      </div>
      <SubList name="sends" fixed={{ wallet, chainId }} />
    </>
  );
}

function Facts({ chain: { chainId, explorerUrl }, queue }: { chain: Chain; queue: Queue }) {
  const { daysLeft } = queue;
  const explorer = safeUrl(explorerUrl);
  return (
    <dl class="facts wide">
      <Fact name="Address">
        <Code value={queue.wallet} />
        {explorer && (
          <>
            {" "}
            <a href={`${explorer}/address/${queue.wallet}`} target="_blank" rel="noreferrer noopener">
              Open in the explorer
            </a>
          </>
        )}
      </Fact>
      <Fact name="Chain">
        <a href={chainHref(chainId)}>{chainId}</a>
      </Fact>
      <Fact name="Reason">
        <Text>{queue.stateReason}</Text>
      </Fact>
      <Fact name="Queue">
        <Text>{counts(queue.depth)}</Text>
      </Fact>
      <Fact name="Oldest">
        <Text>{queue.oldestSeconds === null ? null : duration(queue.oldestSeconds)}</Text>
      </Fact>
      <Fact name="Balance">
        <Coins wei={queue.balanceWei} /> coins
      </Fact>
      <Fact name="Lasts">
        <Text>{typeof daysLeft === "number" ? duration(daysLeft * 86_400) : null}</Text>
      </Fact>
      <Fact name="Next nonce">
        <Text>{queue.nextNonce}</Text>
      </Fact>
      <Fact name="Nonce on chain">
        <Text>{queue.chainNonce}</Text>
      </Fact>
      <Fact name="Checked">
        <Time at={queue.observedAt} />
      </Fact>
      <Fact name="Failures">
        <Text>{counts(queue.failures)}</Text>
      </Fact>
    </dl>
  );
}
