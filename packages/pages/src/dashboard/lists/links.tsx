import type { ComponentChildren } from "preact";
import { hrefOf } from "../frame/route.ts";
import { Code, Text } from "../values/values.tsx";

/** Hrefs of single objects. */
export const userHref = (address: string) => hrefOf(["user", address]);
export const keyHref = (keyId: string) => hrefOf(["key", keyId]);
export const sendHref = (requestId: string) => hrefOf(["send", requestId]);
export const requestHref = (uuid: string) => hrefOf(["request", uuid]);
export const webhookHref = (webhookId: string) => hrefOf(["webhook", webhookId]);
export const deliveryHref = (deliveryId: string) => hrefOf(["delivery", deliveryId]);
export const eventHref = (eventId: string) => hrefOf(["events"], { eventId });
export const chainHref = (chainId: number) => hrefOf(["chain", chainId]);
export const walletHref = (wallet: string, chainId: number | null) => hrefOf(["wallet", wallet], { chainId });
export const orderHref = (orderId: string, chainId: number | null) => hrefOf(["order", orderId], { chainId });
export const operationHref = (operationId: string, chainId: number | null) =>
  hrefOf(["operation", operationId], { chainId });
export const transactionHref = (txHash: string, chainId: number | null) =>
  hrefOf(["transaction", txHash], { chainId });

export function KeyLink({ value }: { value: { keyId: string; name: string } }) {
  return (
    <a class="name" href={keyHref(value.keyId)} title={value.name}>
      {value.name}
    </a>
  );
}

export function UserLink({ address }: { address: string | null | undefined }) {
  return <Code value={address} href={address ? userHref(address) : undefined} />;
}

export function TransactionLink({
  txHash,
  chainId,
}: {
  txHash: string | null | undefined;
  chainId: number | null;
}) {
  return <Code value={txHash} href={txHash ? transactionHref(txHash, chainId) : undefined} />;
}

/** Link that Enter follows in a row. */
export function Open({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  if (!href) return <Text>{children}</Text>;
  return (
    <a href={href} data-open>
      {children}
    </a>
  );
}
