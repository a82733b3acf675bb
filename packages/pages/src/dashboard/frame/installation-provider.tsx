import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Chains, Keys } from "../service/documents.ts";
import { type Installation, InstallationContext } from "../service/installation.ts";
import { NO_EVENT, useAsk } from "../service/use-ask.ts";

const KEYS_OFFERED = { first: 100 };

/** Provides filters with the chains, products and newest keys. */
export function InstallationProvider({ children }: { children: ComponentChildren }) {
  const chains = useAsk(Chains, {}, NO_EVENT).data?.dashboard.chains;
  const keys = useAsk(Keys, KEYS_OFFERED, NO_EVENT).data?.dashboard.keys.edges;
  const installation = useMemo((): Installation => {
    const products = [...new Set((chains ?? []).flatMap((chain) => chain.products))].sort();
    return {
      chains: (chains ?? []).map(({ chainId }) => ({ value: String(chainId), label: String(chainId) })),
      products: products.map((product) => ({ value: product, label: product })),
      keys: (keys ?? []).map(({ node }) => ({ value: node.keyId, label: node.name })),
    };
  }, [chains, keys]);
  return <InstallationContext.Provider value={installation}>{children}</InstallationContext.Provider>;
}
