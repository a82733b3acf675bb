import type { Chain } from "../overview/chain.ts";
import { ChainPlots } from "../overview/plots.tsx";
import { rangeOf } from "../overview/series.ts";
import { ChainCommands, QueuesTable } from "../overview/state-tables.tsx";
import { Chains } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { useEvery } from "../service/use-every.ts";
import { counted } from "../values/format.ts";
import { Text, Time } from "../values/values.tsx";
import { ObjectPage } from "./object-page.tsx";
import { Fact } from "./timeline-page.tsx";
import { SubList } from "./user-page.tsx";

/** Interval of reading the chain, ms: no event reports its blocks. */
const STATE_MS = 3_000;
const RANGE = rangeOf(undefined);

/** Shows a chain: its blocks, its wallets, and what is sent there. */
export function ChainPage({ id }: { id: string }) {
  const answer = useAsk(Chains, {}, NO_EVENT);
  useEvery(STATE_MS, answer.reload);
  const found = answer.data?.dashboard.chains.find(({ chainId }) => String(chainId) === id);
  return (
    <ObjectPage
      noun="chain"
      id={id}
      title={`Chain ${id}`}
      word={found?.sendingHalted ? "halted" : undefined}
      answer={answer}
      isFound={found !== undefined}
    >
      {found && <ChainDetail chain={found} />}
    </ObjectPage>
  );
}

function ChainDetail({ chain }: { chain: Chain }) {
  return (
    <>
      <Facts chain={chain} />
      <h2>The last 24 hours</h2>
      <div class="plots">
        <ChainPlots chains={[chain]} range={RANGE} />
      </div>
      <QueuesTable chains={[chain]} />
      <ChainCommands chains={[chain]} />
      <SubList name="sends" fixed={{ chainId: chain.chainId }} />
    </>
  );
}

function Facts({ chain }: { chain: Chain }) {
  return (
    <dl class="facts wide">
      <Fact name="Products">{chain.products.join(", ")}</Fact>
      <Fact name="Indexed block">
        <Text>{chain.indexedBlock}</Text>
      </Fact>
      <Fact name="Head block">
        <Text>{chain.headBlock}</Text>
      </Fact>
      <Fact name="Block's time">
        <Time at={chain.indexedAt} />
      </Fact>
      <Fact name="Final after">{counted(chain.confirmations, "blocks")}</Fact>
      <Fact name="Sending halted">
        <Time at={chain.sendingHaltedAt} />
      </Fact>
      <Fact name="Reason">
        <Text>{chain.sendingHaltReason}</Text>
      </Fact>
    </dl>
  );
}
