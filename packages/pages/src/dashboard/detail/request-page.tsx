import { KeyLink, sendHref, TransactionLink } from "../lists/links.tsx";
import { outcomeOf } from "../lists/requests.tsx";
import { RequestDetail, type RequestTermsFragment } from "../service/documents.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";
import { milliseconds } from "../values/format.ts";
import { Code, Text, Time } from "../values/values.tsx";
import { Commands } from "./command-list.tsx";
import { commandsOfRequest } from "./commands.ts";
import { ObjectPage } from "./object-page.tsx";
import { Fact } from "./timeline-page.tsx";

/** Shows a request to the partner API that was refused or wrote something. */
export function RequestPage({ uuid }: { uuid: string }) {
  const answer = useAsk(RequestDetail, { uuid }, NO_EVENT);
  const found = answer.data?.dashboard.request;
  return (
    <ObjectPage
      noun="kept request"
      id={uuid}
      title={found ? `${found.method} ${found.route}` : "Request"}
      word={found ? outcomeOf(found) : undefined}
      answer={answer}
      isFound={Boolean(found)}
      hint="Requests that only read, failures of authentication and all after 14 days are in the logs alone."
    >
      {found && <Facts value={found} />}
      {found && <Commands of={commandsOfRequest(found)} />}
    </ObjectPage>
  );
}

function Facts({ value }: { value: RequestTermsFragment }) {
  const {
    uuid,
    at,
    key,
    chainId,
    productType,
    status,
    errCode,
    field,
    revert,
    durationMs,
    requestId,
    txHash,
  } = value;
  return (
    <dl class="facts wide">
      <Fact name="UUID">
        <Code value={uuid} />
      </Fact>
      <Fact name="Answered">
        <Time at={at} />
      </Fact>
      <Fact name="Key">
        <KeyLink value={key} />
      </Fact>
      <Fact name="Chain, product">
        {chainId} {productType}
      </Fact>
      <Fact name="HTTP status">
        <Text>{status || "the caller was gone"}</Text>
      </Fact>
      <Fact name="Error">
        <Text>{errCode}</Text>
      </Fact>
      <Fact name="Field">
        <Text>{field}</Text>
      </Fact>
      <Fact name="Revert">
        <Text>{revert}</Text>
      </Fact>
      <Fact name="Took">{milliseconds(durationMs)}</Fact>
      <Fact name="Request to send">
        <Code value={requestId} href={requestId ? sendHref(requestId) : undefined} />
      </Fact>
      <Fact name="Transaction">
        <TransactionLink txHash={txHash} chainId={chainId} />
      </Fact>
    </dl>
  );
}
