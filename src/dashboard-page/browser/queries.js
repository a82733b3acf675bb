/**
 * What the page asks /graphql, one query a panel. Filters that are not given stay out of the variables. The tests hold
 * each of them against the schema and the limits of src/http/graphql/limits.ts.
 */

const PAGE_INFO = "pageInfo { hasNextPage endCursor }";

const ORDER_FIELDS =
  "symbol side type quantity notional price filledQuantity averageFillPrice userAddress updatedAt";

const OPERATION_FIELDS =
  "tokenSymbol amount creditAmount feeAmount userAddress isInstant settledAt failReason";

export const QUERIES = {
  chains: `query Chains {
  dashboard {
    chains { chainId products confirmations indexedBlock indexedAt lagSeconds headBlock lagBlocks }
  }
}`,

  queues: `query Queues {
  dashboard {
    chains {
      chainId
      sendQueues {
        wallet state stateReason depth oldestSeconds balanceWei nextNonce chainNonce observedAt failures
      }
    }
  }
}`,

  sends: `query Sends(
  $first: Integer, $after: Text, $chainId: Integer, $productType: Text, $keyId: Text, $userAddress: Address, $state: Text
) {
  dashboard {
    sendRequests(
      first: $first, after: $after, chainId: $chainId, productType: $productType, keyId: $keyId,
      userAddress: $userAddress, state: $state
    ) {
      edges {
        node {
          requestId chainId productType operation userAddress wallet symbol state status nonce txHash minedBlock
          errCode revert reason fillReason acceptedAt finalAt
          key { name }
          attempts { kind }
        }
      }
      ${PAGE_INFO}
    }
  }
}`,

  orders: `query Orders(
  $first: Integer, $after: Text, $chainId: Integer, $productType: Text, $keyId: Text, $userAddress: Address, $status: Text
) {
  dashboard {
    orders(
      first: $first, after: $after, chainId: $chainId, productType: $productType, keyId: $keyId,
      userAddress: $userAddress, status: $status
    ) {
      edges {
        node {
          order {
            orderId txHash status onChainStatus
            mapping { chainId productType userAddress source createdAt }
            openOrder { ${ORDER_FIELDS} }
            historyOrder { ${ORDER_FIELDS} failReason }
          }
          key { name }
        }
      }
      ${PAGE_INFO}
    }
  }
}`,

  operations: `query Operations(
  $first: Integer, $after: Text, $chainId: Integer, $productType: Text, $keyId: Text, $userAddress: Address, $kind: Text,
  $status: Text
) {
  dashboard {
    operations(
      first: $first, after: $after, chainId: $chainId, productType: $productType, keyId: $keyId,
      userAddress: $userAddress, kind: $kind, status: $status
    ) {
      edges {
        node {
          kind
          operation {
            operationId operationStatus
            mapping { chainId productType userAddress source txHash createdAt }
            depositOperation { ${OPERATION_FIELDS} }
            withdrawalOperation { ${OPERATION_FIELDS} }
          }
          key { name }
        }
      }
      ${PAGE_INFO}
    }
  }
}`,

  balances: `query Balances($first: Integer, $after: Text, $chainId: Integer, $productType: Text, $userAddress: Address) {
  dashboard {
    balances(
      first: $first, after: $after, chainId: $chainId, productType: $productType, userAddress: $userAddress
    ) {
      edges {
        node {
          chainId productType mUsdBalance mUsdLocked
          stocks { symbol stockAddress exchangeBalance exchangeLocked costBasis realizedPnl }
          keys { name }
        }
      }
      ${PAGE_INFO}
    }
  }
}`,

  keys: `query Keys(
  $first: Integer, $after: Text, $chainId: Integer, $productType: Text, $userAddress: Address, $status: Text, $name: Text
) {
  dashboard {
    keys(
      first: $first, after: $after, chainId: $chainId, productType: $productType, userAddress: $userAddress,
      status: $status, name: $name
    ) {
      edges {
        node {
          keyId name apiKey access status userAddress createdAt expiresAt ips
          scopes { chainId productType }
          policy { dailyNotionalCap killed expiresAt }
        }
      }
      ${PAGE_INFO}
    }
  }
}`,
};
