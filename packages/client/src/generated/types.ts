// Written by `npm run client:generate` from docs/openapi.json; not to be edited.
export interface components {
    schemas: {
        /**
         * @description How far a corporate action is.
         * @enum {string}
         */
        ActionStatus: "PENDING" | "IN_PROGRESS" | "COMPLETE";
        /**
         * @description Values may be added.
         * @enum {string}
         */
        ActionType: "split" | "dividend" | "spin-off" | (string & {});
        /** @description A change of what a user has available of an asset on the exchange, or of what orders lock of it. */
        Activity: {
            /** @description Identifier; a reorg that mines the transaction again keeps it. */
            activityId: components["schemas"]["Hash"];
            /** @description mUSD, or the stock's symbol. */
            asset: string;
            /** @description What is available after it. */
            balanceAfter: components["schemas"]["Decimal"];
            /** @description Its block. */
            blockNumber: components["schemas"]["BlockNumber"];
            /** @description By how much what is available changed. The deltas of an asset sum to its balance. */
            delta: components["schemas"]["Decimal"];
            /** @description What a split or dividend made of the tokens, of the kind `distribution`; else null. */
            distribution: components["schemas"]["Distribution"] | null;
            /** @description What caused it. distribution: a split or dividend, which moves nothing. other: fees, and the other side of other users' trades. */
            kind: components["schemas"]["ActivityKind"];
            /** @description By how much what orders lock changed. The locked deltas of an asset sum to what is locked of it. */
            lockedDelta: components["schemas"]["Decimal"];
            /** @description The operation that caused it; null where none did, or where the calling API key does not own it. */
            operationId: components["schemas"]["Hash"] | null;
            /** @description The order that caused it; null where none did, or where the calling API key does not own it. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description Address of the stock token; null of mUSD. */
            stockAddress: components["schemas"]["Address"] | null;
            /** @description When it was mined, Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Hash of the transaction. */
            txHash: components["schemas"]["Hash"];
        };
        /**
         * @description Values may be added.
         * @enum {string}
         */
        ActivityKind: "order-placed" | "order-filled" | "order-canceled" | "order-rejected" | "order-expired" | "deposit" | "withdraw" | "withdraw-rejected" | "stock-deposit" | "stock-withdraw" | "distribution" | "other" | (string & {});
        /** @description A part of a user's activities. */
        ActivityList: {
            /** @description Cursor of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The rows, newest first. */
            rows: components["schemas"]["Activity"][];
        };
        /** @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 */
        Address: string;
        /** @description A change of a token's multiplier. */
        AppliedCorporateAction: {
            /** @description The block of the change, or null. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description `multiplierAfter` of GET /corporate-action. */
            newMultiplier: components["schemas"]["Decimal"];
            /** @description `multiplierBefore` of GET /corporate-action. */
            oldMultiplier: components["schemas"]["Decimal"];
            /** @description Address of the stock token. */
            stockToken: components["schemas"]["Address"];
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description The transaction of the change, or null. */
            txHash: components["schemas"]["Hash"] | null;
        };
        /** @description A change of the multiplier of a token that a user held on the exchange. */
        AppliedDistribution: {
            /** @description The block of the change, or null. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description The multiplier since; GET /corporate-action names the action that has both. */
            multiplierAfter: components["schemas"]["Decimal"];
            /** @description The token's multiplier before: shares per token. */
            multiplierBefore: components["schemas"]["Decimal"];
            /** @description Shares that they stand for. */
            sharesAfter: components["schemas"]["Decimal"];
            /** @description Shares that they stood for. */
            sharesBefore: components["schemas"]["Decimal"];
            /** @description Address of the stock token. */
            stockToken: components["schemas"]["Address"];
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description When it was mined, Unix seconds, or null. */
            timestamp: components["schemas"]["UnixSeconds"] | null;
            /** @description Tokens held on the exchange, locked ones too: at the change, without a block now. */
            tokens: components["schemas"]["Decimal"];
            /** @description The transaction of the change, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description The user. */
            userAddress: components["schemas"]["Address"];
        };
        /** @description The switch of an API key that cancels its orders, as it is armed now. */
        ArmedCancelAfter: {
            /** @description When it cancels unless it is renewed, by the service's clock, Unix seconds; null: never. */
            cancelAt: components["schemas"]["UnixSeconds"] | null;
            /** @description When it last canceled, Unix seconds; null: never. Later than your last renewal: that came too late. */
            firedAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The service's clock, Unix seconds. */
            now: components["schemas"]["UnixSeconds"];
            /** @description The time that was set; null: disarmed. */
            seconds: components["schemas"]["Integer"] | null;
        };
        /** @description An amount of mUSD, or of a stock token. */
        AssetAmount: {
            /** @description The amount. */
            amount: components["schemas"]["Decimal"];
            /** @description mUSD, or the stock's symbol. */
            asset: string;
            /** @description Address of the stock token; null of mUSD. */
            assetAddress: components["schemas"]["Address"] | null;
        };
        /** @description What a user holds, read at one block. */
        Balance: {
            /** @description The user. */
            address: components["schemas"]["Address"];
            /** @description The block that all of this was read at. */
            blockNumber: components["schemas"]["Integer"];
            /** @description Time of that block, Unix seconds. */
            blockTimestamp: components["schemas"]["UnixSeconds"];
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description mUSD that can be spent. */
            mUsdBalance: components["schemas"]["Decimal"];
            /** @description mUSD that open orders lock. */
            mUsdLocked: components["schemas"]["Decimal"];
            /** @description The product. */
            productType: string;
            /** @description Every cash and stock token of this chain and product. */
            tokenBalances: components["schemas"]["TokenBalance"][];
            /** @description The block of the wallet amounts where the node has no state of blockNumber any more; else null. */
            walletBlockNumber: components["schemas"]["Integer"] | null;
        };
        /**
         * Format: int64
         * @example 48210377
         */
        BlockNumber: number;
        /** @example 0x1f6c53a2 */
        Bytes: string;
        CalendarListQuery: {
            /** @description First day: YYYY-MM-DD, or Unix seconds; default today. */
            from?: string;
            /** @description Last day, in the same forms, at most 366 days later; default 30 days later. */
            to?: string;
        };
        /** @description A call to sign and submit from a wallet, exactly as it stands. */
        Call: {
            /** @description ABI-encoded call, 0x hex. */
            callData: components["schemas"]["Bytes"];
            /** @description The contract to call. */
            toAddress: components["schemas"]["Address"];
            /** @description Native coin to send along, in wei: always 0. */
            value: string;
        };
        /**
         * @example {
         *       "amount": "100000000000000000000",
         *       "deadline": "1924992000"
         *     }
         */
        CallArguments: {
            [key: string]: string;
        };
        /** @description Transaction data for the router, to be submitted from the user's own wallet. */
        Calldata: {
            /** @description The function's arguments by name, integers in base units as strings. */
            args: components["schemas"]["CallArguments"];
            /** @description ABI-encoded call, 0x hex, with an ERC-8021 suffix behind it that attributes the transaction to this key. */
            callData: components["schemas"]["Bytes"];
            /** @description Chain that the transaction must be sent on. */
            chainId: components["schemas"]["Integer"];
            /** @description Name of the router function that callData encodes. */
            method: string;
            /** @description What would happen if the named wallet sent this now; null where no wallet was named. */
            preflight: components["schemas"]["Preflight"] | null;
            /** @description Product that the router belongs to. */
            productType: string;
            /** @description The StockRouter of this chain and product. */
            toAddress: components["schemas"]["Address"];
            /** @description Native coin to send along, in wei: always 0. */
            value: string;
        };
        /** @description The API key that signed the request. */
        CallingKey: {
            /** @description READ_ONLY or WRITABLE. */
            access: string;
            /** @description The public identifier that requests carry as x-api-key. */
            apiKey: string;
            /** @description The switch that cancels its orders in the chain and product of the request; null where it was never armed. */
            cancelAfter: components["schemas"]["CancelAfter"] | null;
            /** @description When it ends, Unix seconds; null: never. */
            expiresAt: components["schemas"]["UnixSeconds"] | null;
            /** @description How much it may ask for. */
            limits: components["schemas"]["KeyLimits"];
            /** @description The operator's name for it. */
            name: string;
            /** @description What it may send for its user. */
            policy: components["schemas"]["CallingKeyPolicy"];
            /** @description Until when the secret before the last rotation works, Unix seconds; null where there is none. */
            previousSecretUntil: components["schemas"]["UnixSeconds"] | null;
            /** @description The chains and products that requests may name. */
            scopes: components["schemas"]["KeyScope"][];
            /** @description The user it may send for, or null. */
            userAddress: components["schemas"]["Address"] | null;
        };
        /** @description What an API key may send. What exceeds it answers POLICY_REFUSED. */
        CallingKeyPolicy: {
            /** @description Names of operations; empty: all. */
            allowedOperations: string[];
            /** @description Stock symbols; empty: all. */
            allowedSymbols: string[];
            /** @description mUSD of orders a UTC day; null: any. */
            dailyNotionalCap: components["schemas"]["Decimal"] | null;
            /** @description When the policy ends, and sending with it, Unix seconds; null: never. */
            expiresAt: components["schemas"]["UnixSeconds"] | null;
            /** @description True where the kill switch is on: nothing is sent. */
            killed: boolean;
            /** @description What is left of the cap today, mUSD; null where there is none. */
            remaining: components["schemas"]["Decimal"] | null;
        };
        /** @description The switch of an API key that cancels its open limit orders, and what came of it. */
        CancelAfter: {
            /** @description When it cancels unless it is renewed, Unix seconds; null while it is not armed. In the past: it is waiting for a wallet, chain or node. */
            cancelAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Why not, for one of them; or null. */
            errCode: components["schemas"]["ErrCode"] | null;
            /** @description When it last canceled, Unix seconds; null: never. */
            firedAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The open orders that it could not ask for. */
            refused: components["schemas"]["Integer"];
            /** @description The cancels that it then asked for: they are among the sends, as orders/cancel. */
            requested: components["schemas"]["Integer"];
            /** @description The time that was set last, seconds; null: disarmed. */
            seconds: components["schemas"]["Integer"] | null;
        };
        /** @description The call that cancels an order. */
        CancelCalldata: {
            /** @description The call, as DELETE /orders/{orderId}/calldata answers it. */
            calldata: components["schemas"]["Calldata"];
            /** @description The order's on-chain id. */
            orderId: components["schemas"]["Hash"];
        };
        /** @description Calls that cancel open limit orders. */
        CancelCalldataList: {
            /** @description True where there are more than 100: call again once these are canceled. */
            more: boolean;
            /** @description One for each order, newest mapping first. */
            rows: components["schemas"]["CancelCalldata"][];
        };
        /** @description The cancel of an order: its request, or why there is none. */
        CancelSend: {
            /** @description Why it was refused, or null. A repeat tries it again. */
            errCode: components["schemas"]["ErrCode"] | null;
            /** @description The refusal in words, or null. */
            errMsg: string | null;
            /** @description The order's on-chain id. */
            orderId: components["schemas"]["Hash"];
            /** @description The request, as DELETE /orders/{orderId}/send answers it; null where it was refused. */
            send: components["schemas"]["Send"] | null;
        };
        /** @description Cancels of open limit orders. */
        CancelSendList: {
            /** @description True where there were more than 100: call again, under another Idempotency-Key. */
            more: boolean;
            /** @description One for each order, newest mapping first. */
            rows: components["schemas"]["CancelSend"][];
        };
        /** @description Transaction data for the router, with what the Cashier would make of it now. */
        CashCalldata: {
            /** @description The function's arguments by name, integers in base units as strings. */
            args: components["schemas"]["CallArguments"];
            /** @description ABI-encoded call, 0x hex, with an ERC-8021 suffix behind it that attributes the transaction to this key. */
            callData: components["schemas"]["Bytes"];
            /** @description Chain that the transaction must be sent on. */
            chainId: components["schemas"]["Integer"];
            /** @description What the Cashier would make of it with its buffers as they are now. */
            forecast: components["schemas"]["CashForecast"];
            /** @description Name of the router function that callData encodes. */
            method: string;
            /** @description What would happen if the named wallet sent this now; null where no wallet was named. */
            preflight: components["schemas"]["Preflight"] | null;
            /** @description Product that the router belongs to. */
            productType: string;
            /** @description The StockRouter of this chain and product. */
            toAddress: components["schemas"]["Address"];
            /** @description Native coin to send along, in wei: always 0. */
            value: string;
        };
        CashDepositsCalldataInput: {
            /** @description Address of the cash token. */
            tokenAddress: string;
            /** @description Tokens to deposit. */
            tokenAmount: string;
            /** @description The wallet that will submit. */
            userAddress: string;
        };
        CashDepositsListQuery: {
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Mapped at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows per page, at most 100; default 10. */
            limit?: number;
            /** @description Page, from 1. */
            page?: number;
            /**
             * @description pending, processing, completed, failed or canceled.
             * @enum {string}
             */
            status?: "pending" | "processing" | "completed" | "failed" | "canceled";
            /** @description Mapped at or before this time, Unix seconds. */
            to?: number;
            /** @description Address of the cash token. */
            tokenAddress?: string;
            /** @description Deposits that this transaction made. */
            txHash?: string;
            /** @description Changed after this time, Unix seconds. */
            updatedAfter?: number;
            /** @description The user whose deposits to list. */
            userAddress?: string;
        };
        CashDepositsRecordInput: {
            /** @description Hash of the transaction. */
            txHash: string;
        };
        CashDepositsSendInput: {
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description Address of the cash token. */
            tokenAddress: string;
            /** @description Tokens to deposit. */
            tokenAmount: string;
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        /** @description What a cash movement would come to now. */
        CashForecast: {
            /** @description What would be received: mUSD on a deposit, tokens on a withdrawal. */
            creditAmount: components["schemas"]["Decimal"];
            /** @description The fee, in the same unit. */
            feeAmount: components["schemas"]["Decimal"];
            /** @description True where it would be done at once, false where it would be queued. */
            isInstant: boolean;
        };
        /** @description The Cashier's credit buffer, in mUSD. */
        CashierBuffer: {
            /** @description Left for instant deposits. */
            creditBuffer: components["schemas"]["Decimal"];
            /** @description What the buffer can hold. */
            creditBufferCapacity: components["schemas"]["Decimal"];
        };
        /** @description A cash token and its limits in the Cashier. */
        CashierToken: {
            /** @description Decimals of the token. */
            decimals: components["schemas"]["Integer"];
            /** @description Fee on deposits, hundredths of a percent. */
            depositFeeBps: components["schemas"]["Integer"];
            /** @description True while it takes no deposits. */
            depositPaused: boolean;
            /** @description Largest deposit that is credited at once, in tokens. */
            maxInstantDeposit: components["schemas"]["Decimal"];
            /** @description Largest withdrawal that is paid at once, in mUSD, as withdrawals name it. */
            maxInstantWithdrawal: components["schemas"]["Decimal"];
            /** @description Smallest deposit or withdrawal, in tokens. */
            minAmount: components["schemas"]["Decimal"];
            /** @description The token's name. */
            name: string;
            /** @description The token's symbol. */
            symbol: string;
            /** @description Address of the token. */
            tokenAddress: components["schemas"]["Address"];
            /** @description mUSD per token. */
            usdRate: components["schemas"]["Decimal"];
            /** @description Tokens ready for instant withdrawals. */
            withdrawBuffer: components["schemas"]["Decimal"];
            /** @description What the buffer can hold, in tokens. */
            withdrawBufferCapacity: components["schemas"]["Decimal"];
            /** @description Fee on withdrawals, hundredths of a percent. */
            withdrawFeeBps: components["schemas"]["Integer"];
            /** @description True while it pays no withdrawals. */
            withdrawPaused: boolean;
        };
        CashWithdrawalsCalldataInput: {
            /** @description Address of the cash token. */
            tokenAddress: string;
            /** @description mUSD to withdraw, as much as the token can represent. */
            tokenAmount: string;
            /** @description The wallet that will submit. */
            userAddress: string;
        };
        CashWithdrawalsListQuery: {
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Mapped at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows per page, at most 100; default 10. */
            limit?: number;
            /** @description Page, from 1. */
            page?: number;
            /**
             * @description pending, processing, completed, failed or canceled.
             * @enum {string}
             */
            status?: "pending" | "processing" | "completed" | "failed" | "canceled";
            /** @description Mapped at or before this time, Unix seconds. */
            to?: number;
            /** @description Address of the cash token. */
            tokenAddress?: string;
            /** @description Withdrawals that this transaction made. */
            txHash?: string;
            /** @description Changed after this time, Unix seconds. */
            updatedAfter?: number;
            /** @description The user whose withdrawals to list. */
            userAddress?: string;
        };
        CashWithdrawalsRecordInput: {
            /** @description Hash of the transaction. */
            txHash: string;
        };
        CashWithdrawalsSendInput: {
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description Address of the cash token. */
            tokenAddress: string;
            /** @description mUSD to withdraw. */
            tokenAmount: string;
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        /** @description How far a chain is read. */
        ChainStatus: {
            /** @description Age of the indexed block, seconds. A chain that rests makes none: compare with headBlock. */
            ageSeconds: components["schemas"]["Integer"] | null;
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description The newest block by a node, up to some seconds ago; null where none answers. */
            headBlock: components["schemas"]["BlockNumber"] | null;
            /**
             * @description healthy; behind: the chain has newer blocks than the indexed one, which is more than 60 s old; unavailable: nothing is indexed, or no node of
             *     the chain answers.
             */
            health: components["schemas"]["Health"];
            /** @description Time of the indexed block, Unix seconds; null with it. */
            indexedAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The indexed block; null where nothing is indexed now. */
            indexedBlock: components["schemas"]["BlockNumber"] | null;
            /** @description True while the operator has stopped sending on the chain: /send is OPERATOR_UNAVAILABLE. */
            sendingHalted: boolean;
        };
        /** @description The market's clock. Times are the exchange's, in New York. */
        Clock: {
            /** @description True in regular hours. */
            isOpen: boolean;
            /** @description When regular hours next end, Unix seconds: today's, where they are not over. */
            nextCloseAt: components["schemas"]["UnixSeconds"];
            /** @description When regular hours next begin, Unix seconds. */
            nextOpenAt: components["schemas"]["UnixSeconds"];
            /** @description pre, regular, post, overnight or closed. */
            session: components["schemas"]["Session"];
            /** @description Time of the answer, Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
        };
        /** @description Configuration of a chain and product. */
        Config: {
            /** @description How much may be credited at once. */
            cashierBuffer: components["schemas"]["CashierBuffer"];
            /** @description Limits, rates and state of each cash token. */
            cashierTokenConfig: components["schemas"]["CashierToken"][];
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description Addresses of the contracts. */
            contracts: components["schemas"]["Contracts"];
            /** @description What trading costs. */
            exchangeFeeConfig: components["schemas"]["ExchangeFeeConfig"];
            /** @description The product. */
            productType: string;
        };
        /** @description Addresses of a product's contracts. Callers send to the StockRouter only. */
        Contracts: {
            /** @description Keeps mUSD and cash tokens. */
            cashier: components["schemas"]["Address"];
            /** @description Who must be approved to take cash tokens. */
            cashSpender: components["schemas"]["Address"];
            /** @description Takes delegations. */
            oneClickRouter: components["schemas"]["Address"];
            /** @description Keeps exchange stock and orders. */
            stock: components["schemas"]["Address"];
            /** @description The only contract that callers send to. */
            stockRouter: components["schemas"]["Address"];
            /** @description Who must be approved to take stock tokens. */
            stockSpender: components["schemas"]["Address"];
        };
        /** @description A split, dividend or spin-off of an underlying stock. Dates are days of the exchange, YYYY-MM-DD. */
        CorporateAction: {
            /** @description Identifies the action. */
            actionId: string;
            /** @description US dollars per share, or null. */
            cash: components["schemas"]["Decimal"] | null;
            /** @description Day on which it was announced, or null. */
            declarationDate: string | null;
            /** @description First day on which the stock trades without the entitlement. */
            exDate: string;
            /** @description The token's multiplier after it; null while it did not. */
            multiplierAfter: components["schemas"]["Decimal"] | null;
            /** @description The token's multiplier before this action changed it; null while it did not. */
            multiplierBefore: components["schemas"]["Decimal"] | null;
            /** @description See oldRate. */
            newRate: components["schemas"]["Decimal"] | null;
            /** @description Every oldRate shares become newRate shares, or bring newRate shares of the new company; null where shares stay. */
            oldRate: components["schemas"]["Decimal"] | null;
            /** @description Day on which it is paid out, or null. */
            payableDate: string | null;
            /** @description Day on which holders are counted, or null. */
            recordDate: string | null;
            /** @description PENDING before the ex-date, then IN_PROGRESS, COMPLETE once the token's multiplier followed or it is paid. */
            status: components["schemas"]["ActionStatus"];
            /** @description The kind of it, for example forward-split, reverse-split, cash or stock. */
            subType: string;
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description split, dividend or spin-off. */
            type: components["schemas"]["ActionType"];
        };
        /** @description A split or dividend changed a token's multiplier on the chain. Where `retracts` is set: the present multiplier, and no block. */
        CorporateActionAppliedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["AppliedCorporateAction"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "corporate-action";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "corporate_action.applied";
        };
        CorporateActionListQuery: {
            /** @description First ex-date: YYYY-MM-DD, or Unix seconds; default a year back. */
            from?: string;
            /** @description Stock symbol, token symbol or token address, in any case; default all that are listed. */
            symbol?: string;
            /** @description Last ex-date, in the same forms; default a year ahead. */
            to?: string;
            /**
             * @description split, dividend or spin-off.
             * @enum {string}
             */
            type?: "split" | "dividend" | "spin-off";
        };
        /** @example 180.5 */
        Decimal: string;
        /** @description The delegation: `user` lets `delegatee` send for it. */
        DelegateMessage: {
            /** @description The signature must be submitted by then, Unix seconds. */
            deadline: components["schemas"]["UnixSeconds"];
            /** @description The wallet that would send for the user. */
            delegatee: components["schemas"]["Address"];
            /** @description The user's delegation nonce. */
            nonce: components["schemas"]["Integer"];
            /** @description The user, who must sign. */
            user: components["schemas"]["Address"];
        };
        /** @description The state of one-click sending for a user. */
        Delegation: {
            /** @description The wallet that sends for the user. */
            delegatee: components["schemas"]["Address"];
            /** @description The nonce that the next signature must carry. */
            nonce: components["schemas"]["Integer"];
            /** @description enable, disabled or pending. */
            status: components["schemas"]["DelegationStatus"];
            /** @description The transaction that last changed it from here, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description The bound user. */
            userAddress: components["schemas"]["Address"];
        };
        /** @description What enable or disable came to. */
        DelegationChange: {
            /** @description enable, disabled or pending. */
            status: components["schemas"]["DelegationStatus"];
            /** @description The transaction, or null where none was needed or none is signed yet. */
            txHash: components["schemas"]["Hash"] | null;
        };
        /** @description The key may no longer send for its user. */
        DelegationDisabledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Delegation"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "1ct/status";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "delegation.disabled";
        };
        /** @description The key may send for its user. */
        DelegationEnabledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Delegation"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "1ct/status";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "delegation.enabled";
        };
        /** @description What the user signs. */
        DelegationPayload: {
            /** @description The deadline in the message, Unix seconds. */
            deadline: components["schemas"]["UnixSeconds"];
            /** @description The wallet that would send for the user. */
            delegatee: components["schemas"]["Address"];
            /** @description The nonce in the message. */
            nonce: components["schemas"]["Integer"];
            /** @description EIP-712 typed data as signTypedData of viem and ethers takes it: they add the type of the domain. */
            signPayload: components["schemas"]["TypedData"];
            /** @description The same with the type of the domain, as eth_signTypedData_v4 of a wallet takes it. */
            typedData: components["schemas"]["WalletTypedData"];
        };
        /**
         * @description Whether this service may send for a user.
         * @enum {string}
         */
        DelegationStatus: "enable" | "disabled" | "pending";
        /**
         * @description Where a delivery stands.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "delivered" | "dead";
        /** @description A split or dividend of a stock whose token the user held on the exchange. It changes how many shares a token stands for, and no balance. */
        Distribution: {
            /** @description The multiplier since; GET /corporate-action names the action that has both. */
            multiplierAfter: components["schemas"]["Decimal"];
            /** @description The token's multiplier before: shares per token. */
            multiplierBefore: components["schemas"]["Decimal"];
            /** @description Shares that they stand for. */
            sharesAfter: components["schemas"]["Decimal"];
            /** @description Shares that they stood for. */
            sharesBefore: components["schemas"]["Decimal"];
            /** @description Tokens held on the exchange, locked ones too. */
            tokens: components["schemas"]["Decimal"];
        };
        /** @description A split or dividend changed how many shares the tokens of a user stand for. Where `retracts` is set, a reorg took the one before back; without a block, nothing came in its place. */
        DistributionAppliedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["AppliedDistribution"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "users/activities";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "distribution.applied";
        };
        /**
         * @description How an order ended.
         * @enum {string}
         */
        EndedStatus: "Filled" | "Canceled" | "Expired" | "Rejected" | "Failed";
        /**
         * @description The stable name of an error.
         *
         *     | errCode | code | HTTP | retryable | Meaning |
         *     |---|---|---|---|---|
         *     | ROUTE_NOT_FOUND | 404 | 404 | no | No such route |
         *     | BODY_TOO_LARGE | 413 | 413 | no | The body is larger than 64 KiB |
         *     | RATE_LIMITED | 429 | 429 | yes | Too many requests |
         *     | TOO_MANY_STREAMS | 429 | 429 | yes | Too many streams are open |
         *     | INTERNAL | 500 | 500 | yes | Internal error; quote the uuid to support |
         *     | RPC_UNAVAILABLE | 503 | 503 | yes | The chain node does not answer |
         *     | DATABASE_UNAVAILABLE | 503 | 503 | yes | The database does not answer |
         *     | MARKET_DATA_UNAVAILABLE | 503 | 503 | yes | Market data is unavailable |
         *     | INDEXER_BEHIND | 503 | 503 | yes | The indexer has not caught up yet |
         *     | OPERATOR_UNAVAILABLE | 503 | 503 | yes | The sending wallet is unavailable |
         *     | VALIDATION_FAILED | 10000 | 400 | no | The request is invalid |
         *     | NOTIONAL_REQUIRED | 10000 | 400 | no | notional is required |
         *     | QUANTITY_REQUIRED | 10000 | 400 | no | quantity is required |
         *     | PRICE_REQUIRED | 10000 | 400 | no | price is required |
         *     | TIME_IN_FORCE_REQUIRED | 10000 | 400 | no | timeInForce is required |
         *     | TIME_IN_FORCE_NOT_SUPPORTED | 10000 | 400 | no | timeInForce must be DAY |
         *     | DEADLINE_EXPIRED | 10000 | 400 | no | deadline expired |
         *     | TOO_MANY_DECIMALS | 10000 | 400 | no | More fraction digits than the token has |
         *     | TOKEN_NOT_SUPPORTED | 10000 | 400 | no | The token is not supported |
         *     | BELOW_MINIMUM | 10000 | 400 | no | The amount is below the minimum |
         *     | CURSOR_EXPIRED | 10000 | 400 | no | The cursor is older than the log of events: take the list again, or go on from oldestCursor |
         *     | WEBHOOK_TARGET_REFUSED | 10000 | 400 | no | Events are not delivered to this URL |
         *     | ORDER_NOT_FOUND | 10001 | 400 | no | No such order |
         *     | OPERATION_NOT_FOUND | 10001 | 400 | no | No such operation |
         *     | TRANSACTION_NOT_FOUND | 10001 | 400 | yes | No order of this transaction is indexed yet |
         *     | SEND_NOT_FOUND | 10001 | 400 | no | No such request to send |
         *     | SYMBOL_NOT_FOUND | 10001 | 400 | no | No such symbol |
         *     | WEBHOOK_NOT_FOUND | 10001 | 400 | no | No such webhook |
         *     | ORDER_NOT_CANCELABLE | 10002 | 400 | no | The order cannot be canceled |
         *     | MARKET_ORDER_NOT_CANCELABLE | 10002 | 400 | no | A market order cannot be canceled |
         *     | DELEGATION_NOT_ENABLED | 10002 | 400 | no | Delegation is not enabled: the user signs what POST /1ct/prepare gives, for POST /1ct/enable |
         *     | USER_NOT_BOUND | 10002 | 400 | no | The API key is bound to no user |
         *     | SIGNER_MISMATCH | 10002 | 400 | no | The signer is not the user |
         *     | ALLOWANCE_INSUFFICIENT | 10002 | 400 | no | The allowance is too low |
         *     | BALANCE_INSUFFICIENT | 10002 | 400 | no | The balance is too low |
         *     | TX_OWNED_BY_ANOTHER_KEY | 10002 | 400 | no | The transaction belongs to another API key |
         *     | TX_WRONG_KIND | 10002 | 400 | no | The transaction is not a router call of this kind and scope |
         *     | TX_REVERTED | 10002 | 400 | no | The transaction reverted |
         *     | IDEMPOTENCY_KEY_REUSED | 10002 | 400 | no | The Idempotency-Key was used with another request |
         *     | CLIENT_ORDER_ID_REUSED | 10002 | 400 | no | clientOrderId was used before |
         *     | DELEGATION_NONCE_USED | 10002 | 400 | no | The delegation nonce was used |
         *     | POLICY_REFUSED | 10002 | 400 | no | The key's policy refuses this |
         *     | DEPOSIT_NOT_INSTANT | 10002 | 400 | no | The deposit would not be instant |
         *     | TOKEN_PAUSED | 10002 | 400 | no | The token is paused |
         *     | KEY_CHANGED | 10002 | 400 | no | The API key changed while the request was under way |
         *     | CHAIN_REVERT | 10003 | 400 | no | The chain refuses the call |
         *     | OUT_OF_GAS | 10003 | 400 | no | The call runs out of gas |
         *
         *     Values may be added.
         * @enum {string}
         */
        ErrCode: "ROUTE_NOT_FOUND" | "BODY_TOO_LARGE" | "RATE_LIMITED" | "TOO_MANY_STREAMS" | "INTERNAL" | "RPC_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "MARKET_DATA_UNAVAILABLE" | "INDEXER_BEHIND" | "OPERATOR_UNAVAILABLE" | "VALIDATION_FAILED" | "NOTIONAL_REQUIRED" | "QUANTITY_REQUIRED" | "PRICE_REQUIRED" | "TIME_IN_FORCE_REQUIRED" | "TIME_IN_FORCE_NOT_SUPPORTED" | "DEADLINE_EXPIRED" | "TOO_MANY_DECIMALS" | "TOKEN_NOT_SUPPORTED" | "BELOW_MINIMUM" | "CURSOR_EXPIRED" | "WEBHOOK_TARGET_REFUSED" | "ORDER_NOT_FOUND" | "OPERATION_NOT_FOUND" | "TRANSACTION_NOT_FOUND" | "SEND_NOT_FOUND" | "SYMBOL_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "ORDER_NOT_CANCELABLE" | "MARKET_ORDER_NOT_CANCELABLE" | "DELEGATION_NOT_ENABLED" | "USER_NOT_BOUND" | "SIGNER_MISMATCH" | "ALLOWANCE_INSUFFICIENT" | "BALANCE_INSUFFICIENT" | "TX_OWNED_BY_ANOTHER_KEY" | "TX_WRONG_KIND" | "TX_REVERTED" | "IDEMPOTENCY_KEY_REUSED" | "CLIENT_ORDER_ID_REUSED" | "DELEGATION_NONCE_USED" | "POLICY_REFUSED" | "DEPOSIT_NOT_INSTANT" | "TOKEN_PAUSED" | "KEY_CHANGED" | "CHAIN_REVERT" | "OUT_OF_GAS" | (string & {});
        /** @description A part of a key's log. */
        EventPage: {
            /** @description Cursor behind the last event that was looked at: always there, also where no event is new. */
            nextCursor: string;
            /** @description The events, oldest first. */
            rows: components["schemas"]["TradingEvent"][];
        };
        EventsListQuery: {
            /** @description nextCursor of the page before, or X-Event-Cursor of a list: events behind it. Left out: from the oldest one on. */
            after?: string;
            /** @description Events at most, up to 100; default 10. */
            limit?: number;
            /** @description Names of events, comma separated; order.* stands for all that begin so. Left out: all. */
            types?: string;
        };
        /**
         * @description Values may be added.
         * @enum {string}
         */
        EventType: "order.mapped" | "order.placed" | "order.partially_filled" | "order.filled" | "order.canceling" | "order.canceled" | "order.rejected" | "order.expired" | "order.failed" | "operation.pending" | "operation.processing" | "operation.completed" | "operation.failed" | "operation.canceled" | "mapping.removed" | "send.submitted" | "send.confirmed" | "send.failed" | "delegation.enabled" | "delegation.disabled" | "corporate_action.applied" | "distribution.applied" | "webhook.disabled" | "key.expiring" | "maintenance.announced" | "maintenance.canceled" | "status.changed" | (string & {});
        /** @description Trading fees: the larger of the rate and the minimum, per order. */
        ExchangeFeeConfig: {
            /** @description Rate on buys, hundredths of a percent of the notional. */
            buyFeeBps: components["schemas"]["Integer"];
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description Smallest fee of an order, in mUSD. */
            minFee: components["schemas"]["Decimal"];
            /** @description The product. */
            productType: string;
            /** @description Rate on sells, hundredths of a percent of the notional. */
            sellFeeBps: components["schemas"]["Integer"];
        };
        /** @description A key that ends soon. */
        ExpiringKey: {
            /** @description The public identifier that requests carry as x-api-key. */
            apiKey: string;
            /** @description When it ends, Unix seconds. */
            expiresAt: components["schemas"]["UnixSeconds"];
            /** @description 14, 3 or 1. */
            withinDays: components["schemas"]["Integer"];
        };
        /** @description The envelope of every other failure. */
        Failure: {
            /** @description The family of the error; never 200. */
            code: number;
            data: null;
            /**
             * Format: uri
             * @description The page about this errCode, where the deployment serves one.
             */
            docUrl?: string;
            errCode: components["schemas"]["ErrCode"];
            /** @description What is wrong, for people. */
            errMsg: string;
            /** @description With CURSOR_EXPIRED: the cursor at which the log of events begins. */
            oldestCursor?: string;
            /** @description The offending field, or null. */
            param: string | null;
            /** @description Whether the same call may succeed later. */
            retryable: boolean;
            /** @description With CHAIN_REVERT: the name of the custom error that the contracts ended in. */
            revert?: string | null;
            /**
             * Format: int64
             * @description The server's time, Unix milliseconds.
             */
            t: number;
            /**
             * Format: uuid
             * @description Identifier of this response; quote it to support.
             */
            uuid: string;
        };
        /** @description One execution of an order. */
        Fill: {
            /** @description Fee of this fill, in mUSD. */
            fee: components["schemas"]["Decimal"];
            /** @description mUSD per token. */
            price: components["schemas"]["Decimal"];
            /** @description Tokens traded. */
            quantity: components["schemas"]["Decimal"];
            /** @description When it was settled, Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Transaction that settled it. */
            txHash: components["schemas"]["Hash"];
        };
        /** @example 0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f */
        Hash: string;
        /**
         * @description How a chain, or market data, is.
         * @enum {string}
         */
        Health: "healthy" | "behind" | "unavailable";
        /**
         * @description An order that has ended. One whose transaction failed, or was never sent, never was on the chain: what is not known of it is
         *     null.
         */
        HistoryOrder: {
            /** @description Average price of the fills, weighted; null without one. */
            averageFillPrice: components["schemas"]["Decimal"] | null;
            /** @description Block that it was placed in; null where the transaction reverted. */
            blockNumber: components["schemas"]["Integer"] | null;
            /** @description Transaction that asked to cancel, or null. */
            cancelTxHash: components["schemas"]["Hash"] | null;
            /** @description When it was placed, Unix seconds; when it was mapped where the transaction reverted. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description The placing transaction had to be mined by then, Unix seconds. */
            deadline: components["schemas"]["UnixSeconds"] | null;
            /** @description Why it ended without the user's doing, or null. */
            failReason: string | null;
            /** @description All fees, in mUSD. */
            fee: components["schemas"]["Decimal"] | null;
            /** @description mUSD traded, without fees. */
            filledNotional: components["schemas"]["Decimal"] | null;
            /** @description Tokens traded. */
            filledQuantity: components["schemas"]["Decimal"] | null;
            /** @description The fills, oldest first. */
            fills: components["schemas"]["Fill"][];
            /** @description 0: an order that has ended locks nothing. */
            lockedAmount: components["schemas"]["Decimal"] | null;
            /** @description What lockedAmount counts: mUSD on a buy, the stock's symbol on a sell. */
            lockedAsset: string | null;
            /** @description mUSD to spend; null on all but market buys. */
            notional: components["schemas"]["Decimal"] | null;
            /** @description The on-chain id; null where the transaction reverted. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description Limit price; null on a market order. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Tokens to trade; null on a market buy. */
            quantity: components["schemas"]["Decimal"] | null;
            /** @description When it ended, Unix seconds; null where the placing transaction reverted. */
            settledAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Transaction that ended it; null where the placing transaction reverted. */
            settleTxHash: components["schemas"]["Hash"] | null;
            /** @description Buy or Sell. */
            side: components["schemas"]["Side"] | null;
            /** @description Filled, Canceled, Expired, Rejected or Failed. */
            status: components["schemas"]["EndedStatus"];
            /** @description Address of the stock token. */
            stockAddress: components["schemas"]["Address"] | null;
            /** @description Symbol of the stock. */
            symbol: string | null;
            /** @description DAY on a limit order; null on a market order. */
            timeInForce: components["schemas"]["TimeInForce"] | null;
            /** @description Hash of the placing transaction. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description Market or Limit. */
            type: components["schemas"]["OrderType"] | null;
            /** @description When it last changed, Unix seconds. */
            updatedAt: components["schemas"]["UnixSeconds"];
            /** @description The user. */
            userAddress: components["schemas"]["Address"] | null;
        };
        /**
         * Format: int64
         * @example 1
         */
        Integer: number;
        /** @description The key ends within 14, 3 or 1 days. */
        KeyExpiringEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["ExpiringKey"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "key";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "key.expiring";
        };
        /** @description The rate limits of an API key; null where there is none. */
        KeyLimits: {
            /** @description Requests at once, on one server. */
            inFlight: components["schemas"]["Integer"] | null;
            /** @description Cost units of GETs per window, over all servers. */
            reads: components["schemas"]["Integer"] | null;
            /** @description Length of the windows, seconds. A window begins with its first request. */
            windowSeconds: components["schemas"]["Integer"];
            /** @description Cost units of all other requests per window, over all servers. */
            writes: components["schemas"]["Integer"] | null;
        };
        KeyRotateInput: {
            /** @description How long the secret that signed goes on working, from 300 to 604800; default 86400. It never lasts longer than an earlier answer said. */
            overlapSeconds?: number;
        };
        /** @description A chain and a product that an API key may use. */
        KeyScope: {
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description The product. */
            productType: string;
        };
        /** @description The quote of a listed stock, and its token. */
        ListedPrice: {
            /** @description Quote of the underlying stock, without the multiplier; null where there is none. */
            basicInfo: components["schemas"]["Quote"] | null;
            /** @description The stock's token on this chain and product. */
            onChain: components["schemas"]["TokenPrice"];
            /** @description Symbol of the stock. */
            symbol: string;
        };
        /** @description The operator announced maintenance. */
        MaintenanceAnnouncedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["MaintenanceNotice"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "status";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "maintenance.announced";
        };
        /** @description The operator canceled announced maintenance. */
        MaintenanceCanceledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["MaintenanceNotice"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "status";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "maintenance.canceled";
        };
        /** @description Maintenance that the operator announced. */
        MaintenanceNotice: {
            /** @description When it was canceled, Unix seconds; null while it holds. */
            canceledAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The chain that it concerns; null: all. */
            chainId: components["schemas"]["Integer"] | null;
            /** @description When it ends, Unix seconds. */
            endsAt: components["schemas"]["UnixSeconds"];
            /** @description Identifier of the notice. */
            noticeId: string;
            /** @description When it begins, Unix seconds. */
            startsAt: components["schemas"]["UnixSeconds"];
            /** @description What the operator says of it. */
            text: string;
        };
        /** @description The link between a transaction, the order or operation it made, and the API key that owns it. */
        Mapping: {
            /** @description Chain of the transaction. */
            chainId: components["schemas"]["Integer"];
            /** @description The caller's own identifier, or null. */
            clientOrderId: string | null;
            /** @description When the mapping was made, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description Identifier of the mapping. */
            mappingId: string;
            /** @description pending: not indexed yet; indexed: seen on the chain; reverted: its transaction failed, or was never sent, for good. */
            mappingStatus: components["schemas"]["MappingStatus"];
            /** @description The cash or stock operation, or null. */
            operationId: components["schemas"]["Hash"] | null;
            /** @description trade, deposit, withdraw, stock-deposit or stock-withdraw. A combined deposit and order is a trade. */
            operationType: components["schemas"]["OperationType"];
            /** @description The order, or null. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description Product of the transaction. */
            productType: string;
            /** @description send: sent by this service; attributed: by the calldata's suffix; recorded: by a /tx endpoint. */
            source: components["schemas"]["MappingSource"];
            /** @description Hash of the transaction; null while none was sent. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description The user whose order or operation it is; null while unknown. */
            userAddress: components["schemas"]["Address"] | null;
        };
        /** @description The row of this mappingId left the key's list: its claim was dropped, or another key owns it. */
        MappingRemovedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Mapping"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders" | "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "mapping.removed";
        };
        /**
         * @description How a mapping came about.
         * @enum {string}
         */
        MappingSource: "send" | "attributed" | "recorded";
        /**
         * @description Whether a mapping's transaction was seen on the chain.
         * @enum {string}
         */
        MappingStatus: "pending" | "indexed" | "reverted";
        /** @description Whether there are quotes. */
        MarketDataStatus: {
            /** @description healthy; behind: quotes are stale; unavailable: there are none. */
            health: components["schemas"]["Health"];
            /** @description Time of the newest quote that was looked at, Unix seconds; null where there is none. */
            quoteAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The part of the trading day, by that quote; null without it. */
            session: components["schemas"]["Session"] | null;
        };
        /** @description A webhook and its newest secret. */
        NewWebhook: {
            /** @description What signs its deliveries. Shown this once; null where the webhook was made by an earlier request. */
            secret: string | null;
            /** @description The webhook. */
            webhook: components["schemas"]["Webhook"];
        };
        /**
         * @description Where an order stands on the chain.
         * @enum {string}
         */
        OnChainStatus: "placing" | "open" | "canceling" | "history";
        OneClickEnableInput: {
            /** @description As it was signed, Unix seconds. */
            deadline: number;
            /** @description As prepare gave it; by default the chain's present one. */
            nonce?: number;
            /** @description The signature, 0x hex. */
            signature: string;
        };
        OneClickPrepareInput: {
            /** @description The signature must be submitted by then, Unix seconds. */
            deadline: number;
            /** @description The bound user. */
            userAddress: string;
        };
        /** @description An order that has not ended. What is not known before the transaction is indexed is null. */
        OpenOrder: {
            /** @description Average price of the fills, weighted; null before the first. */
            averageFillPrice: components["schemas"]["Decimal"] | null;
            /** @description Block that it was placed in; null while it is not indexed. */
            blockNumber: components["schemas"]["Integer"] | null;
            /** @description Transaction that asked to cancel, or null. */
            cancelTxHash: components["schemas"]["Hash"] | null;
            /** @description When it was placed, Unix seconds; when it was mapped while it is not indexed. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description The placing transaction had to be mined by then, Unix seconds. */
            deadline: components["schemas"]["UnixSeconds"] | null;
            /** @description Fees of the fills so far, in mUSD. */
            fee: components["schemas"]["Decimal"] | null;
            /** @description mUSD traded so far, without fees. */
            filledNotional: components["schemas"]["Decimal"] | null;
            /** @description Tokens traded so far. */
            filledQuantity: components["schemas"]["Decimal"] | null;
            /** @description The fills so far, oldest first. */
            fills: components["schemas"]["Fill"][];
            /** @description What the order still locks. */
            lockedAmount: components["schemas"]["Decimal"] | null;
            /** @description What lockedAmount counts: mUSD on a buy, the stock's symbol on a sell. */
            lockedAsset: string | null;
            /** @description mUSD to spend; null on all but market buys. */
            notional: components["schemas"]["Decimal"] | null;
            /** @description The on-chain id; null while the transaction is not indexed. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description Limit price; null on a market order. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Tokens to trade; null on a market buy. */
            quantity: components["schemas"]["Decimal"] | null;
            /** @description Buy or Sell. */
            side: components["schemas"]["Side"] | null;
            /** @description placing, open or canceling. */
            status: components["schemas"]["OpenStatus"];
            /** @description Address of the stock token. */
            stockAddress: components["schemas"]["Address"] | null;
            /** @description Symbol of the stock. */
            symbol: string | null;
            /** @description DAY on a limit order; null on a market order. */
            timeInForce: components["schemas"]["TimeInForce"] | null;
            /** @description Hash of the placing transaction. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description Market or Limit. */
            type: components["schemas"]["OrderType"] | null;
            /** @description When it last changed, Unix seconds. */
            updatedAt: components["schemas"]["UnixSeconds"];
            /** @description The user. */
            userAddress: components["schemas"]["Address"] | null;
        };
        /**
         * @description Where an order stands on the chain that has not ended.
         * @enum {string}
         */
        OpenStatus: "placing" | "open" | "canceling";
        /** @description A movement of cash or stock between wallet and exchange. */
        Operation: {
            /** @description What was asked for: tokens, or mUSD on a cash withdrawal; null while unknown. */
            amount: components["schemas"]["Decimal"] | null;
            /** @description When it was made, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description Transaction that made it. */
            createTxHash: components["schemas"]["Hash"];
            /** @description What was received: mUSD on a cash deposit, tokens otherwise; null until it is. */
            creditAmount: components["schemas"]["Decimal"] | null;
            /** @description Why it failed, or null. */
            failReason: string | null;
            /** @description Fee, at the rate the token had when it completed, in the unit of creditAmount; null until it is known. */
            feeAmount: components["schemas"]["Decimal"] | null;
            /** @description True where it was done at once, false where it was queued; null on stock. */
            isInstant: boolean | null;
            /** @description Identifier of the operation. */
            operationId: components["schemas"]["Hash"];
            /** @description When it ended, Unix seconds, or null. */
            settledAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Transaction that ended it, or null. */
            settleTxHash: components["schemas"]["Hash"] | null;
            /** @description processing, completed, failed or canceled. */
            status: components["schemas"]["OperationStatus"];
            /** @description Address of the token. */
            tokenAddress: components["schemas"]["Address"];
            /** @description The token's symbol. */
            tokenSymbol: string;
            /** @description The user. */
            userAddress: components["schemas"]["Address"];
        };
        /** @description The operation was canceled. */
        OperationCanceledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["OperationDetail"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operation.canceled";
        };
        /** @description The operation is done. */
        OperationCompletedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["OperationDetail"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operation.completed";
        };
        /** @description A cash or stock operation, from its mapping to its end. */
        OperationDetail: {
            /** @description The operation where it is a deposit and indexed; else null. */
            depositOperation: components["schemas"]["Operation"] | null;
            /** @description Who owns it and through which transaction. */
            mapping: components["schemas"]["Mapping"];
            /** @description pending, indexed or reverted: see the mapping. */
            mappingStatus: components["schemas"]["MappingStatus"];
            /** @description Identifier of the operation; null while its transaction is not indexed. */
            operationId: components["schemas"]["Hash"] | null;
            /** @description pending: not indexed yet; processing: queued; completed; failed; canceled. */
            operationStatus: components["schemas"]["OperationStatus"];
            /** @description Hash of the transaction that made it; null while none was sent. */
            txHash: components["schemas"]["Hash"] | null;
            /** @description The operation where it is a withdrawal and indexed; else null. */
            withdrawalOperation: components["schemas"]["Operation"] | null;
        };
        /** @description The operation failed. */
        OperationFailedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["OperationDetail"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operation.failed";
        };
        /** @description A page of cash or stock operations. */
        OperationList: {
            /** @description Cursor of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The rows, newest mapping first. */
            rows: components["schemas"]["OperationDetail"][];
            /** @description How many there are, at most 10000; null with a cursor. */
            total: components["schemas"]["Integer"] | null;
            /** @description False where there are more than total says; null with a cursor. */
            totalExact: boolean | null;
        };
        /** @description The transaction is claimed, and not indexed yet. */
        OperationPendingEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["OperationDetail"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operation.pending";
        };
        /** @description The operation is queued. */
        OperationProcessingEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["OperationDetail"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "operation.processing";
        };
        /**
         * @description Where a cash or stock operation stands.
         * @enum {string}
         */
        OperationStatus: "pending" | "processing" | "completed" | "failed" | "canceled";
        /** @enum {string} */
        OperationType: "trade" | "deposit" | "withdraw" | "stock-deposit" | "stock-withdraw";
        /** @description An order, from its mapping to its end. */
        Order: {
            /** @description The order once it has ended; else null. */
            historyOrder: components["schemas"]["HistoryOrder"] | null;
            /** @description Who owns it and through which transaction. */
            mapping: components["schemas"]["Mapping"];
            /** @description placing, open, canceling or history. */
            onChainStatus: components["schemas"]["OnChainStatus"];
            /** @description The order while it is being placed, open or canceling; else null. */
            openOrder: components["schemas"]["OpenOrder"] | null;
            /** @description The on-chain id; null while the transaction is not indexed. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description All orders of this API key that the same transaction placed, in log order. */
            orderIds: components["schemas"]["Hash"][];
            /** @description Init, Pending, New, Partial filled, Filled, Canceled, Expired, Rejected or Failed. */
            status: components["schemas"]["OrderStatus"];
            /** @description Hash of the placing transaction. */
            txHash: components["schemas"]["Hash"] | null;
        };
        /** @description The order ended canceled, with the fills it has. */
        OrderCanceledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.canceled";
        };
        /** @description A cancel is on the chain: another event for each fill until it ends. */
        OrderCancelingEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.canceling";
        };
        /** @description What an order would bring where it fills whole at a price. The broker decides at which price and how much it fills. */
        OrderEstimate: {
            /** @description mUSD per token: the limit, or of a market order the quote times the token's multiplier. */
            price: components["schemas"]["Decimal"];
            /** @description Tokens of a buy, mUSD less the fee of a sell. */
            receives: components["schemas"]["AssetAmount"];
            /** @description True where the quote is older than it should be; false of a limit order. */
            stale: boolean;
        };
        /** @description The order ended expired. */
        OrderExpiredEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.expired";
        };
        /** @description Its transaction failed. */
        OrderFailedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.failed";
        };
        /** @description The fee of an order, in mUSD: the larger of the rate and the minimum. */
        OrderFee: {
            /** @description What is charged where the order fills whole at the estimate's price. A limit buy costs no more; null of a market sell without a quote. */
            amount: components["schemas"]["Decimal"] | null;
            /** @description The rate, hundredths of a percent of the notional. */
            bps: components["schemas"]["Integer"];
            /** @description The smallest fee. */
            minimum: components["schemas"]["Decimal"];
        };
        /** @description The order ended filled. */
        OrderFilledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.filled";
        };
        /** @description A page of orders. */
        OrderList: {
            /** @description Cursor of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The rows, newest mapping first. */
            rows: components["schemas"]["Order"][];
            /** @description How many there are, at most 10000; null with a cursor. */
            total: components["schemas"]["Integer"] | null;
            /** @description False where there are more than total says; null with a cursor. */
            totalExact: boolean | null;
        };
        /** @description The transaction is claimed, and not indexed yet. */
        OrderMappedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.mapped";
        };
        /** @description The smallest order that is taken. */
        OrderMinimum: {
            /** @description In mUSD. */
            notional: components["schemas"]["Decimal"];
            /** @description In tokens, at the order's limit or at the quote; null of a market buy, and without a quote. */
            quantity: components["schemas"]["Decimal"] | null;
            /** @description Smallest deposit of the cash token; null where the call deposits none. */
            tokenAmount: components["schemas"]["Decimal"] | null;
        };
        /** @description It has fills, and is open: an event for each fill. */
        OrderPartiallyFilledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.partially_filled";
        };
        /** @description The order is on the chain and open. */
        OrderPlacedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.placed";
        };
        /** @description The order ended rejected. */
        OrderRejectedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Order"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "orders";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "order.rejected";
        };
        OrdersCalldataInput: {
            /** @description The caller's own identifier, at most 64 of A-Za-z0-9_-. Checked, but not kept: only /send keeps it. */
            clientOrderId?: string;
            /** @description The order must be on the chain by then, Unix seconds. */
            deadline: number;
            /** @description mUSD to spend; market buys only. */
            notional?: string;
            /** @description Limit price, mUSD per token; limit orders only. */
            price?: string;
            /** @description Tokens to trade; all but market buys. */
            quantity?: string;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side: "Buy" | "Sell";
            /** @description Address of the stock token; this or symbol is required. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case; this or stockAddress is required. */
            symbol?: string;
            /** @description DAY; required on limit orders. */
            timeInForce?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type: "Market" | "Limit";
            /** @description The wallet that will submit; asks for a preflight. */
            userAddress?: string;
        };
        OrdersCancelAfterInput: {
            /** @description Time until the cancel, seconds, from 5 to 86400; or null. */
            seconds: number | null;
        };
        OrdersCancelManyCalldataInput: {
            /**
             * @description Buy or Sell: only those.
             * @enum {string}
             */
            side?: "Buy" | "Sell";
            /** @description Stock symbol, token symbol or token address, in any case: only its orders. */
            symbol?: string;
            /** @description The user: only their orders. */
            userAddress?: string;
        };
        OrdersCancelManySendInput: {
            /**
             * @description Buy or Sell: only those.
             * @enum {string}
             */
            side?: "Buy" | "Sell";
            /** @description Stock symbol, token symbol or token address, in any case: only its orders. */
            symbol?: string;
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        OrdersCancelSendInput: {
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
        };
        OrdersListQuery: {
            /** @description The caller's own identifier of an order that was sent here. */
            clientOrderId?: string;
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Mapped at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows per page, at most 100; default 10. */
            limit?: number;
            /**
             * @description placing, open, canceling or history.
             * @enum {string}
             */
            onChainStatus?: "placing" | "open" | "canceling" | "history";
            /** @description Page, from 1. */
            page?: number;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side?: "Buy" | "Sell";
            /**
             * @description Init, Pending, New, Partial filled, Filled, Canceled, Expired, Rejected or Failed.
             * @enum {string}
             */
            status?: "Init" | "Pending" | "New" | "Partial filled" | "Filled" | "Canceled" | "Expired" | "Rejected" | "Failed";
            /** @description Address of the stock token. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case. */
            symbol?: string;
            /** @description Mapped at or before this time, Unix seconds. */
            to?: number;
            /** @description Orders that this transaction placed. */
            txHash?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type?: "Market" | "Limit";
            /** @description Changed after this time, Unix seconds. */
            updatedAfter?: number;
            /** @description The user whose orders to list. */
            userAddress?: string;
        };
        OrdersPreviewInput: {
            /** @description The caller's own identifier, at most 64 of A-Za-z0-9_-. Checked, but not kept. */
            clientOrderId?: string;
            /** @description The order must be on the chain by then, Unix seconds. */
            deadline: number;
            /** @description mUSD to spend; market buys only. */
            notional?: string;
            /** @description Limit price, mUSD per token; limit orders only. */
            price?: string;
            /** @description Tokens to trade; all but market buys. */
            quantity?: string;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side: "Buy" | "Sell";
            /** @description Address of the stock token; this or symbol is required. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case; this or stockAddress is required. */
            symbol?: string;
            /** @description DAY; required on limit orders. */
            timeInForce?: string;
            /** @description Of a deposit in the same call: the cash token of a buy, the stock itself of a sell. With this or tokenAmount, the combined call is previewed. */
            tokenAddress?: string;
            /** @description Tokens to deposit; with tokenAddress alone, the order's quantity on a sell. */
            tokenAmount?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type: "Market" | "Limit";
            /** @description The wallet that would submit; without one, nothing of a wallet is checked. */
            userAddress?: string;
        };
        OrdersRecordInput: {
            /** @description Hash of the transaction. */
            txHash: string;
        };
        OrdersSendInput: {
            /** @description The caller's own identifier, at most 64 of A-Za-z0-9_-; unique per key and scope. */
            clientOrderId?: string;
            /** @description The order must be on the chain by then, Unix seconds. */
            deadline: number;
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description mUSD to spend; market buys only. */
            notional?: string;
            /** @description Limit price, mUSD per token; limit orders only. */
            price?: string;
            /** @description Tokens to trade; all but market buys. */
            quantity?: string;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side: "Buy" | "Sell";
            /** @description Address of the stock token; or name the symbol. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case; or name the address. */
            symbol?: string;
            /** @description DAY; required on limit orders. */
            timeInForce?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type: "Market" | "Limit";
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        /** @enum {string} */
        OrderStatus: "Init" | "Pending" | "New" | "Partial filled" | "Filled" | "Canceled" | "Expired" | "Rejected" | "Failed";
        OrdersWithDepositCalldataInput: {
            /** @description The caller's own identifier, at most 64 of A-Za-z0-9_-. Checked, but not kept: only /send keeps it. */
            clientOrderId?: string;
            /** @description The order must be on the chain by then, Unix seconds. */
            deadline: number;
            /** @description mUSD to spend; market buys only. */
            notional?: string;
            /** @description Limit price, mUSD per token; limit orders only. */
            price?: string;
            /** @description Tokens to trade; all but market buys. */
            quantity?: string;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side: "Buy" | "Sell";
            /** @description Address of the stock token; this or symbol is required. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case; this or stockAddress is required. */
            symbol?: string;
            /** @description DAY; required on limit orders. */
            timeInForce?: string;
            /** @description The cash token that a buy deposits; the stock itself on a sell. */
            tokenAddress?: string;
            /** @description Tokens to deposit; the order's quantity on a sell. */
            tokenAmount?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type: "Market" | "Limit";
            /** @description The wallet that will submit; asks for a preflight. */
            userAddress?: string;
        };
        OrdersWithDepositSendInput: {
            /** @description The caller's own identifier, at most 64 of A-Za-z0-9_-; unique per key and scope. */
            clientOrderId?: string;
            /** @description The order must be on the chain by then, Unix seconds. */
            deadline: number;
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description mUSD to spend; market buys only. */
            notional?: string;
            /** @description Limit price, mUSD per token; limit orders only. */
            price?: string;
            /** @description Tokens to trade; all but market buys. */
            quantity?: string;
            /**
             * @description Buy or Sell.
             * @enum {string}
             */
            side: "Buy" | "Sell";
            /** @description Address of the stock token; or name the symbol. */
            stockAddress?: string;
            /** @description Stock symbol, token symbol or token address, in any case; or name the address. */
            symbol?: string;
            /** @description DAY; required on limit orders. */
            timeInForce?: string;
            /** @description The cash token that a buy deposits; the stock itself on a sell. */
            tokenAddress?: string;
            /** @description Tokens to deposit; the order's quantity on a sell. */
            tokenAmount?: string;
            /**
             * @description Market or Limit.
             * @enum {string}
             */
            type: "Market" | "Limit";
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        /**
         * @description At the market's price, or at a limit.
         * @enum {string}
         */
        OrderType: "Market" | "Limit";
        /**
         * @description A stock that a user holds. Costs are known for what was bought by orders here; the rest of a holding has none. The average
         *     is over all shares bought here less those sold here, also over those that have left the wallet to elsewhere since.
         */
        Position: {
            /** @description Average mUSD paid per token, fees included, over all bought here less those sold here; null where there are none. */
            averageEntryPrice: components["schemas"]["Decimal"] | null;
            /** @description mUSD paid for what was bought here and is still held, at that average; null where none was bought, or all was sold. */
            costBasis: components["schemas"]["Decimal"] | null;
            /** @description Tokens that costBasis covers: what was bought here and is still held. */
            costBasisQuantity: components["schemas"]["Decimal"];
            /** @description Tokens on the exchange, free to sell or withdraw. */
            exchangeBalance: components["schemas"]["Decimal"];
            /** @description Tokens on the exchange, locked by open orders. */
            lockedBalance: components["schemas"]["Decimal"];
            /** @description mUSD per token: the quote times the multiplier; null where there is no quote. */
            marketPrice: components["schemas"]["Decimal"] | null;
            /** @description What the position is worth, in mUSD; null where there is no quote. */
            marketValue: components["schemas"]["Decimal"] | null;
            /** @description All of them together. */
            quantity: components["schemas"]["Decimal"];
            /** @description mUSD gained by sells here against that average, fees deducted. */
            realizedPnl: components["schemas"]["Decimal"];
            /** @description True where the price is older than it should be, or there is none. */
            stale: boolean;
            /** @description Address of the stock token. */
            stockAddress: components["schemas"]["Address"];
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description Gain of the part with a known cost, in mUSD; null where there is none. */
            unrealizedPnl: components["schemas"]["Decimal"] | null;
            /** @description The same in percent of costBasis; null where there is none. */
            unrealizedPnlPercent: components["schemas"]["Decimal"] | null;
            /** @description Tokens in the wallet. */
            walletBalance: components["schemas"]["Decimal"];
        };
        /**
         * @description The exact call tried from the named wallet at the latest block, and what an order would lock and cost at the present quote, fees and
         *     buffers. Where no wallet is named, only what is the same for every wallet is checked. It is no promise of a fill.
         */
        Preflight: {
            /** @description True where the chain would take the call now. */
            accepted: boolean;
            /** @description What the call needs, in the order in which the fixes are to be applied; empty where no wallet is named. */
            checks: components["schemas"]["PreflightCheck"][];
            /** @description What the order brings where it fills whole at `price`; null without a price, and where the call places no order. */
            estimate: components["schemas"]["OrderEstimate"] | null;
            /** @description The order's fee; null where the call places none. */
            fee: components["schemas"]["OrderFee"] | null;
            /** @description What the deposit of a combined buy credits; else null. */
            forecast: components["schemas"]["CashForecast"] | null;
            /** @description Gas the call would use, without a margin; send it with 1.5 to 2 times as much. Null where it reverts, or where no wallet is named. */
            gasEstimate: string | null;
            /** @description What placing the order locks; null where the call places none. */
            locked: components["schemas"]["AssetAmount"] | null;
            /** @description The smallest order and deposit; null where the call places no order. */
            minimum: components["schemas"]["OrderMinimum"] | null;
            /** @description True where every check passed and the simulation did not revert: the same as accepted. */
            ok: boolean;
            /** @description Why it would not: BALANCE_INSUFFICIENT, ALLOWANCE_INSUFFICIENT, BELOW_MINIMUM (the fee leaves nothing to buy for) or CHAIN_REVERT; else null. */
            reason: components["schemas"]["ErrCode"] | null;
            /** @description Name of the custom error that the simulation ended in, or null. */
            revert: string | null;
        };
        /** @description One thing that the call needs. */
        PreflightCheck: {
            /** @description What is there, in human units. */
            actual: components["schemas"]["Decimal"];
            /** @description mUsdBalance, exchangeBalance, walletBalance or walletAllowance. */
            check: components["schemas"]["PreflightCheckName"];
            /** @description A ready call that mends it, or null where it is fine or nothing can be done from this wallet. */
            fix: components["schemas"]["Call"] | null;
            /** @description True where there is enough. */
            ok: boolean;
            /** @description What is needed, in human units. */
            required: components["schemas"]["Decimal"];
        };
        /**
         * @description What a calldata endpoint checks of a wallet.
         *
         *     Values may be added.
         * @enum {string}
         */
        PreflightCheckName: "mUsdBalance" | "exchangeBalance" | "walletBalance" | "walletAllowance" | (string & {});
        /** @description Quote context: the off-chain quote and the on-chain token. */
        Price: {
            /** @description Quote of the underlying stock, without the multiplier. */
            basicInfo: components["schemas"]["Quote"];
            /** @description The stock's token on this chain and product, or null where it has none. */
            onChain: components["schemas"]["TokenContext"] | null;
        };
        /** @description What a stock traded at in an interval, in US dollars per share. */
        PriceBar: {
            /** @description Last price; the latest so far of an interval that is not over. */
            close: components["schemas"]["Decimal"];
            /** @description Highest price. */
            high: components["schemas"]["Decimal"];
            /** @description Lowest price. */
            low: components["schemas"]["Decimal"];
            /** @description First price. */
            open: components["schemas"]["Decimal"];
            /** @description Begin of the interval, Unix seconds. Days begin at midnight in New York, weeks on Mondays. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Shares traded. */
            volume: components["schemas"]["Decimal"];
        };
        PricesHistoryQuery: {
            /**
             * @description raw, split, dividend, spin-off or all: which corporate actions prices are made comparable over; default all.
             * @default all
             * @enum {string}
             */
            adjustment?: "raw" | "split" | "dividend" | "spin-off" | "all";
            /** @description Last begin of a bar, Unix seconds; default now. */
            endTime?: number;
            /**
             * @description 1m, 3m, 5m, 15m, 1h, 1d or 1w; default 1d.
             * @default 1d
             * @enum {string}
             */
            interval?: "1m" | "3m" | "5m" | "15m" | "1h" | "1d" | "1w";
            /** @description Bars, at most 5000; default 100. */
            limit?: number;
            /** @description First begin of a bar, Unix seconds. */
            startTime?: number;
        };
        PricesListQuery: {
            /** @description Stock symbols, token symbols or token addresses, in any case, comma separated, at most 100; default all that are listed. */
            symbols?: string;
        };
        /** @description A quote of the underlying stock, in US dollars per share. */
        Quote: {
            /** @description Best ask, or null. */
            ask: components["schemas"]["Decimal"] | null;
            /** @description Shares at the ask, or null. */
            askSize: components["schemas"]["Decimal"] | null;
            /** @description Best bid, or null. */
            bid: components["schemas"]["Decimal"] | null;
            /** @description Shares at the bid, or null. */
            bidSize: components["schemas"]["Decimal"] | null;
            /** @description Change since the previous close, or null. */
            change24H: components["schemas"]["Decimal"] | null;
            /** @description Change since the previous close in percent, or null. */
            change24HPercent: components["schemas"]["Decimal"] | null;
            /** @description Highest price of the session, or null. */
            high: components["schemas"]["Decimal"] | null;
            /** @description Lowest price of the session, or null. */
            low: components["schemas"]["Decimal"] | null;
            /** @description Name of the company. */
            name: string;
            /** @description First price of the session, or null. */
            open: components["schemas"]["Decimal"] | null;
            /** @description Last price of the previous session, or null. */
            previousClose: components["schemas"]["Decimal"] | null;
            /** @description Last price. */
            price: components["schemas"]["Decimal"];
            /** @description pre, regular, post, overnight or closed. */
            session: components["schemas"]["Session"];
            /** @description Where the quote comes from; `sandbox` is made up. */
            source: string;
            /** @description True where the quote is older than it should be. */
            stale: boolean;
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description Time of the quote, Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Shares traded in the session, or null. */
            volume: components["schemas"]["Decimal"] | null;
        };
        /** @description The calling API key with its new secret. */
        RotatedKey: {
            /** @description The public identifier that requests carry as x-api-key. It stays. */
            apiKey: string;
            /** @description Signs requests from now on. It is not shown again. */
            apiSecret: string;
            /** @description Until when the secret that signed the request works, Unix seconds. */
            previousSecretUntil: components["schemas"]["UnixSeconds"];
        };
        /** @description A transaction that this service sends for a bound user: on the chain once, or not at all. */
        Send: {
            /** @description When the request was accepted, Unix seconds. */
            acceptedAt: components["schemas"]["UnixSeconds"];
            /** @description Why it failed, or null. */
            errCode: components["schemas"]["ErrCode"] | null;
            /** @description True where nothing of it changes any more. */
            final: boolean;
            /** @description Who owns what it makes; of a cancel, the order's own mapping, null while the index has no such order. */
            mapping: components["schemas"]["Mapping"] | null;
            /** @description What was asked for: the endpoint, by the name that policies give it. */
            operation: components["schemas"]["SendOperation"];
            /** @description Identifier of the request; a repeat under the same Idempotency-Key answers the same. */
            requestId: string;
            /** @description Name of the custom error that it ended in, or null. */
            revert: string | null;
            /** @description accepted: written; submitted: broadcast; confirmed: mined with success; failed: it will not succeed any more. */
            status: components["schemas"]["SendStatus"];
            /** @description Hash of the transaction; null before it is signed. A raised fee changes it; every hash finds the mapping. */
            txHash: components["schemas"]["Hash"] | null;
        };
        /** @description Its transaction succeeded; again, with `final` true, once it is final. */
        SendConfirmedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Send"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "sends";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "send.confirmed";
        };
        /** @description It will not succeed any more. */
        SendFailedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Send"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "sends";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "send.failed";
        };
        /** @description A part of the requests to send of a key. */
        SendList: {
            /** @description Cursor of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description The requests, newest first. */
            rows: components["schemas"]["Send"][];
        };
        /**
         * @description Values may be added.
         * @enum {string}
         */
        SendOperation: "orders/send" | "orders/with-deposit/send" | "orders/cancel" | "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals" | "1ct/enable" | "1ct/disable" | (string & {});
        SendsListQuery: {
            /** @description The caller's own identifier of an order. */
            clientOrderId?: string;
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Accepted at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows at most, up to 100; default 10. */
            limit?: number;
            /**
             * @description What was asked for, for example orders/send.
             * @enum {string}
             */
            operation?: "orders/send" | "orders/with-deposit/send" | "orders/cancel" | "cash/deposits" | "cash/withdrawals" | "stock/deposits" | "stock/withdrawals" | "1ct/enable" | "1ct/disable";
            /**
             * @description accepted, submitted, confirmed or failed.
             * @enum {string}
             */
            status?: "accepted" | "submitted" | "confirmed" | "failed";
            /** @description Accepted at or before this time, Unix seconds. */
            to?: number;
        };
        /**
         * @description Where a request to send stands.
         * @enum {string}
         */
        SendStatus: "accepted" | "submitted" | "confirmed" | "failed";
        /** @description The request to send is broadcast. */
        SendSubmittedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Send"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "sends";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "send.submitted";
        };
        /** @description How the service is now. */
        ServiceStatus: {
            /** @description The chains of the key, by id. */
            chains: components["schemas"]["ChainStatus"][];
            /** @description Maintenance that has not ended and was not canceled, the earliest first. */
            maintenance: components["schemas"]["MaintenanceNotice"][];
            /** @description Quotes of the stocks of this chain and product. */
            marketData: components["schemas"]["MarketDataStatus"];
        };
        /**
         * @description The part of the trading day.
         * @enum {string}
         */
        Session: "pre" | "regular" | "post" | "overnight" | "closed";
        /**
         * @description What a side of the market does with the stock.
         * @enum {string}
         */
        Side: "Buy" | "Sell";
        /** @description A user's statement for a time, or a page of it. All pages together begin with the opening balances, and end with the closing ones. */
        Statement: {
            /** @description What the user had after `to`: the opening balances and all deltas; null on all pages but the last. */
            closing: components["schemas"]["StatementBalance"][] | null;
            /** @description With format=csv, the page as CSV (RFC 4180); else null. The first page begins with names of columns; all pages one behind the other are one file. */
            csv: string | null;
            /** @description Beginning of the time, Unix seconds. */
            from: components["schemas"]["UnixSeconds"];
            /** @description Cursor of the next page; null on the last one. */
            nextCursor: string | null;
            /** @description What the user had before `from`, of every asset that the user ever had; null on all pages but the first. */
            opening: components["schemas"]["StatementBalance"][] | null;
            /** @description Every activity of the time, oldest first; empty with format=csv. */
            rows: components["schemas"]["StatementRow"][];
            /** @description Its end, Unix seconds: as asked for, or the last indexed block where that is earlier. */
            to: components["schemas"]["UnixSeconds"];
            /** @description The user. */
            userAddress: components["schemas"]["Address"];
        };
        /** @description What a user had of an asset on the exchange at a moment. */
        StatementBalance: {
            /** @description mUSD, or the stock's symbol. */
            asset: string;
            /** @description Free to spend, sell or withdraw. */
            available: components["schemas"]["Decimal"];
            /** @description What orders locked. */
            locked: components["schemas"]["Decimal"];
            /** @description Address of the stock token; null of mUSD. */
            stockAddress: components["schemas"]["Address"] | null;
        };
        /** @description A fill of an order. */
        StatementFill: {
            /** @description mUSD before the fee. */
            notional: components["schemas"]["Decimal"];
            /** @description mUSD per token. */
            price: components["schemas"]["Decimal"];
            /** @description Tokens. */
            quantity: components["schemas"]["Decimal"];
        };
        /** @description An activity, with its fill and its fee. */
        StatementRow: {
            /** @description The activity's identifier. */
            activityId: components["schemas"]["Hash"];
            /** @description mUSD, or the stock's symbol. */
            asset: string;
            /** @description What is available after it. */
            balanceAfter: components["schemas"]["Decimal"];
            /** @description Its block. */
            blockNumber: components["schemas"]["BlockNumber"];
            /** @description By how much what is available changed. */
            delta: components["schemas"]["Decimal"];
            /** @description What a split or dividend made of the tokens, of the kind `distribution`; else null. */
            distribution: components["schemas"]["Distribution"] | null;
            /** @description The fee of a fill, on the row of its stock, or of a cash deposit or withdrawal, in mUSD. The deltas of mUSD have it already. Null without one, and while it is not known. */
            fee: components["schemas"]["Decimal"] | null;
            /** @description The fill, on the row of its stock; else null. Its mUSD is a row of its own. */
            fill: components["schemas"]["StatementFill"] | null;
            /** @description What caused it. */
            kind: components["schemas"]["ActivityKind"];
            /** @description By how much what orders lock changed. */
            lockedDelta: components["schemas"]["Decimal"];
            /** @description The operation that caused it; null where none did, or where the calling API key does not own it. */
            operationId: components["schemas"]["Hash"] | null;
            /** @description The order that caused it; null where none did, or where the calling API key does not own it. */
            orderId: components["schemas"]["Hash"] | null;
            /** @description Address of the stock token; null of mUSD. */
            stockAddress: components["schemas"]["Address"] | null;
            /** @description When it was mined, Unix seconds. */
            timestamp: components["schemas"]["UnixSeconds"];
            /** @description Hash of the transaction. */
            txHash: components["schemas"]["Hash"];
        };
        /** @description How the chain and the market data of a log are. */
        StatusChange: {
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description `health` of the chain in GET /status. */
            health: components["schemas"]["Health"];
            /** @description `marketData.health` of GET /status. */
            marketDataHealth: components["schemas"]["Health"];
            /** @description `sendingHalted` of the chain in GET /status. */
            sendingHalted: boolean;
            /** @description When this state was first seen, Unix seconds. */
            since: components["schemas"]["UnixSeconds"];
        };
        /** @description The chain or the market data of this log is in another state, and has been for a minute at least. */
        StatusChangedEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["StatusChange"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "status";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "status.changed";
        };
        StockDepositsCalldataInput: {
            /** @description Address of the stock token. */
            tokenAddress: string;
            /** @description Tokens to deposit. */
            tokenAmount: string;
            /** @description The wallet that will submit. */
            userAddress: string;
        };
        StockDepositsListQuery: {
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Mapped at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows per page, at most 100; default 10. */
            limit?: number;
            /** @description Page, from 1. */
            page?: number;
            /**
             * @description pending, processing, completed, failed or canceled.
             * @enum {string}
             */
            status?: "pending" | "processing" | "completed" | "failed" | "canceled";
            /** @description Mapped at or before this time, Unix seconds. */
            to?: number;
            /** @description Address of the stock token. */
            tokenAddress?: string;
            /** @description Deposits that this transaction made. */
            txHash?: string;
            /** @description Changed after this time, Unix seconds. */
            updatedAfter?: number;
            /** @description The user whose deposits to list. */
            userAddress?: string;
        };
        StockDepositsRecordInput: {
            /** @description Hash of the transaction. */
            txHash: string;
        };
        StockDepositsSendInput: {
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description Address of the stock token. */
            tokenAddress: string;
            /** @description Tokens to deposit. */
            tokenAmount: string;
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        /** @description A listed stock token. Prices are in mUSD per token, hence the underlying's price times the multiplier. */
        StockSymbol: {
            /** @description Change of the price per token since the previous close; null where there is no quote. */
            change24H: components["schemas"]["Decimal"] | null;
            /** @description The same in percent; null where there is no quote. */
            change24HPercent: components["schemas"]["Decimal"] | null;
            /** @description Address of the stock token. */
            contractAddress: components["schemas"]["Address"];
            /** @description The token's own name. */
            contractName: string;
            /** @description The token's own symbol. */
            contractSymbol: string;
            /** @description Decimals of the token. */
            decimals: components["schemas"]["Integer"];
            /** @description True: parts of a token can be traded. */
            fractionable: boolean;
            /** @description Time of the quote, Unix seconds; null where there is no quote. */
            lastUpdateTimestamp: components["schemas"]["UnixSeconds"] | null;
            /** @description Address of a logo, or null. */
            logoUrl: string | null;
            /** @description Smallest order, in mUSD. */
            minNotional: components["schemas"]["Decimal"];
            /** @description Name of the company. */
            name: string;
            /** @description False: orders are DAY orders and end with the session. */
            overnightTradable: boolean;
            /** @description Address of a fact sheet, or null. */
            pdfUrl: string | null;
            /** @description Last price per token; null where there is no quote. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Limit prices are multiples of this. */
            priceStep: components["schemas"]["Decimal"];
            /** @description Quantities are multiples of this. */
            quantityStep: components["schemas"]["Decimal"];
            /** @description Symbol of the stock. */
            symbol: string;
            /** @description False while the token takes no orders. */
            tradable: boolean;
            /** @description Shares of the underlying traded today; null where there is no quote. */
            volume24H: components["schemas"]["Decimal"] | null;
        };
        StockWithdrawalsCalldataInput: {
            /** @description Address of the stock token. */
            tokenAddress: string;
            /** @description Tokens to withdraw. */
            tokenAmount: string;
            /** @description The wallet that will submit. */
            userAddress: string;
        };
        StockWithdrawalsListQuery: {
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description Mapped at or after this time, Unix seconds. */
            from?: number;
            /** @description Rows per page, at most 100; default 10. */
            limit?: number;
            /** @description Page, from 1. */
            page?: number;
            /**
             * @description pending, processing, completed, failed or canceled.
             * @enum {string}
             */
            status?: "pending" | "processing" | "completed" | "failed" | "canceled";
            /** @description Mapped at or before this time, Unix seconds. */
            to?: number;
            /** @description Address of the stock token. */
            tokenAddress?: string;
            /** @description Withdrawals that this transaction made. */
            txHash?: string;
            /** @description Changed after this time, Unix seconds. */
            updatedAfter?: number;
            /** @description The user whose withdrawals to list. */
            userAddress?: string;
        };
        StockWithdrawalsRecordInput: {
            /** @description Hash of the transaction. */
            txHash: string;
        };
        StockWithdrawalsSendInput: {
            /** @description Gas limit of the transaction; by default half as much again as the estimate. */
            gasLimit?: number;
            /** @description Address of the stock token. */
            tokenAddress: string;
            /** @description Tokens to withdraw. */
            tokenAmount: string;
            /** @description Must be the bound user, where given. */
            userAddress?: string;
        };
        SymbolsListQuery: {
            /**
             * @description all: every listed token, also those that take no orders now.
             * @enum {string}
             */
            tradable?: "all";
        };
        /** @description The webhook that was tested. */
        TestedWebhook: {
            /** @description Identifier of the webhook. */
            webhookId: string;
        };
        /**
         * @description How long an order stays in force.
         * @enum {string}
         */
        TimeInForce: "DAY" | "GTC" | "OPG" | "IOC" | "FOK" | "GTX" | "GTD" | "CLS";
        /** @description What a user holds of a token, in the wallet and on the exchange. */
        TokenBalance: {
            /** @description Address of the token. */
            address: components["schemas"]["Address"];
            /** @description Decimals of the token. */
            decimals: components["schemas"]["Integer"];
            /** @description On the exchange and free to sell or withdraw; null on a cash token. */
            exchangeBalance: components["schemas"]["Decimal"] | null;
            /** @description On the exchange and locked by open orders; null on a cash token. */
            exchangeLocked: components["schemas"]["Decimal"] | null;
            /** @description True on a stock token. */
            isStock: boolean;
            /** @description The token's name. */
            name: string;
            /** @description mUSD per token; null where there is no quote. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Symbol of the stock; null on a cash token. */
            stockSymbol: string | null;
            /** @description The token's symbol. */
            symbol: string;
            /** @description What spenderAddress may take from the wallet; null where no spenderAddress was given. */
            walletAllowance: components["schemas"]["Decimal"] | null;
            /** @description In the user's wallet. */
            walletBalance: components["schemas"]["Decimal"];
        };
        /** @description A stock's token on this chain and product. */
        TokenContext: {
            /** @description Best ask in mUSD per token, rounded up to a multiple of priceStep; null without one. */
            ask: components["schemas"]["Decimal"] | null;
            /** @description Best bid in mUSD per token, rounded down to a multiple of priceStep; null without one. */
            bid: components["schemas"]["Decimal"] | null;
            /** @description Chain of the token. */
            chainId: components["schemas"]["Integer"];
            /** @description Address of the stock token. */
            contractAddress: components["schemas"]["Address"];
            /** @description The token's own name. */
            contractName: string;
            /** @description The token's own symbol. */
            contractSymbol: string;
            /** @description Decimals of the token. */
            decimals: components["schemas"]["Integer"];
            /** @description One token is worth this many times the underlying's price. */
            multiplier: components["schemas"]["Decimal"];
            /** @description Last price in mUSD per token, the unit of limit prices: the quote times the multiplier, to the nearest priceStep. Null without a quote. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Product that lists it. */
            productType: string;
            /** @description Tokens in existence. */
            totalSupply: components["schemas"]["Decimal"];
            /** @description False while the token takes no orders. */
            tradable: boolean;
        };
        /** @description A stock's token, and its price in mUSD. */
        TokenPrice: {
            /** @description Best ask in mUSD per token, rounded up to a multiple of priceStep; null without one. */
            ask: components["schemas"]["Decimal"] | null;
            /** @description Best bid in mUSD per token, rounded down to a multiple of priceStep; null without one. */
            bid: components["schemas"]["Decimal"] | null;
            /** @description Chain of the token. */
            chainId: components["schemas"]["Integer"];
            /** @description Address of the stock token. */
            contractAddress: components["schemas"]["Address"];
            /** @description One token is worth this many times the underlying's price. */
            multiplier: components["schemas"]["Decimal"];
            /** @description Last price in mUSD per token, the unit of limit prices: the quote times the multiplier, to the nearest priceStep. Null without a quote. */
            price: components["schemas"]["Decimal"] | null;
            /** @description Product that lists it. */
            productType: string;
            /** @description False while the token takes no orders. */
            tradable: boolean;
        };
        /** @description The sessions of a trading day: each ends where the next one begins. Times are Unix seconds. */
        TradingDay: {
            /** @description End of regular hours, and begin of the post-market session. */
            closeAt: components["schemas"]["UnixSeconds"];
            /** @description Day of the exchange, YYYY-MM-DD. */
            date: string;
            /** @description True where regular hours end three hours early. */
            isEarlyClose: boolean;
            /** @description Begin of regular hours. */
            openAt: components["schemas"]["UnixSeconds"];
            /** @description Begin of the overnight session, on the evening before. */
            overnightOpenAt: components["schemas"]["UnixSeconds"];
            /** @description End of the post-market session. */
            postCloseAt: components["schemas"]["UnixSeconds"];
            /** @description Begin of the pre-market session. */
            preOpenAt: components["schemas"]["UnixSeconds"];
        };
        /**
         * @description A change of an order, an operation, a mapping, a send, a delegation or a webhook, or an applied corporate action, alone or of a user.
         *
         *     Types may be added: skip one that you do not know.
         */
        TradingEvent: components["schemas"]["OrderMappedEvent"] | components["schemas"]["OrderPlacedEvent"] | components["schemas"]["OrderPartiallyFilledEvent"] | components["schemas"]["OrderFilledEvent"] | components["schemas"]["OrderCancelingEvent"] | components["schemas"]["OrderCanceledEvent"] | components["schemas"]["OrderRejectedEvent"] | components["schemas"]["OrderExpiredEvent"] | components["schemas"]["OrderFailedEvent"] | components["schemas"]["OperationPendingEvent"] | components["schemas"]["OperationProcessingEvent"] | components["schemas"]["OperationCompletedEvent"] | components["schemas"]["OperationFailedEvent"] | components["schemas"]["OperationCanceledEvent"] | components["schemas"]["MappingRemovedEvent"] | components["schemas"]["SendSubmittedEvent"] | components["schemas"]["SendConfirmedEvent"] | components["schemas"]["SendFailedEvent"] | components["schemas"]["DelegationEnabledEvent"] | components["schemas"]["DelegationDisabledEvent"] | components["schemas"]["CorporateActionAppliedEvent"] | components["schemas"]["DistributionAppliedEvent"] | components["schemas"]["WebhookDisabledEvent"] | components["schemas"]["KeyExpiringEvent"] | components["schemas"]["MaintenanceAnnouncedEvent"] | components["schemas"]["MaintenanceCanceledEvent"] | components["schemas"]["StatusChangedEvent"];
        /** @description EIP-712 typed data. */
        TypedData: {
            /** @description The contract that checks the signature. */
            domain: components["schemas"]["TypedDataDomain"];
            /** @description What is signed. */
            message: components["schemas"]["DelegateMessage"];
            /** @description Always Delegate. */
            primaryType: string;
            /** @description The fields of the message. */
            types: components["schemas"]["TypedDataTypes"];
        };
        /** @description The domain of EIP-712 typed data. */
        TypedDataDomain: {
            /** @description The chain. */
            chainId: components["schemas"]["Integer"];
            /** @description Always OneClickRouter. */
            name: string;
            /** @description The OneClickRouter of this chain and product. */
            verifyingContract: components["schemas"]["Address"];
            /** @description Always 1. */
            version: string;
        };
        /** @description A field of the message. */
        TypedDataField: {
            /** @description Its name. */
            name: string;
            /** @description Its Solidity type. */
            type: string;
        };
        /** @description The types of the message. */
        TypedDataTypes: {
            /** @description The fields of Delegate, in their order. */
            Delegate: components["schemas"]["TypedDataField"][];
        };
        /** @description The one answer to every authentication or permission failure: it does not tell the cause. */
        Unauthorized: {
            /** @constant */
            code: 401;
            data: null;
            /** @constant */
            errMsg: "Unauthorized";
            /**
             * Format: int64
             * @description The server's time, Unix milliseconds.
             */
            t: number;
            /**
             * Format: uuid
             * @description Identifier of this response; quote it to support.
             */
            uuid: string;
        };
        /**
         * Format: int64
         * @example 1795226400
         */
        UnixSeconds: number;
        UsersActivitiesQuery: {
            /** @description mUSD, or a stock: its symbol in any case or the address of its token. Left out: all. */
            asset?: string;
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /** @description At or after this time, Unix seconds. */
            from?: number;
            /** @description Rows at most, up to 100; default 10. */
            limit?: number;
            /** @description At or before this time, Unix seconds. */
            to?: number;
        };
        UsersBalanceQuery: {
            /** @description Also tell how much of each token this address may take from the user's wallet. */
            spenderAddress?: string;
        };
        UsersStatementQuery: {
            /** @description nextCursor of the page before; stays exact while rows arrive. */
            cursor?: string;
            /**
             * @description json or csv.
             * @default json
             * @enum {string}
             */
            format?: "json" | "csv";
            /** @description Begins at this time, Unix seconds: at most 366 days before `to`. Left out: 30 days before `to`, and on later pages as on the first. */
            from?: number;
            /** @description Rows per page, up to 1000; default 100. */
            limit?: number;
            /** @description Ends after this time, Unix seconds. Left out: now, and on later pages as on the first. */
            to?: number;
        };
        /** @description EIP-712 typed data with the type of its domain. */
        WalletTypedData: {
            /** @description The contract that checks the signature. */
            domain: components["schemas"]["TypedDataDomain"];
            /** @description What is signed. */
            message: components["schemas"]["DelegateMessage"];
            /** @description Always Delegate. */
            primaryType: string;
            /** @description The fields of the domain and of the message. */
            types: components["schemas"]["WalletTypedDataTypes"];
        };
        /** @description The types of the domain and of the message. */
        WalletTypedDataTypes: {
            /** @description The fields of Delegate, in their order. */
            Delegate: components["schemas"]["TypedDataField"][];
            /** @description The fields of the domain, in their order. */
            EIP712Domain: components["schemas"]["TypedDataField"][];
        };
        /** @description Where events are delivered to. */
        Webhook: {
            /** @description When it was made, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description Since when it is disabled, Unix seconds; else null. */
            disabledAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Why it is disabled: failing (no success for three days), gone (it answered 410) or paused_by_operator; else null. */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /** @description The first failure since the last success, Unix seconds; null where there is none. */
            failingSince: components["schemas"]["UnixSeconds"] | null;
            /** @description When the oldest event was written whose delivery is pending, Unix seconds; null where none is. */
            oldestUndeliveredAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Until when secrets before the newest one sign too, Unix seconds; null where none does. */
            previousSecretUntil: components["schemas"]["UnixSeconds"] | null;
            /** @description enabled or disabled. */
            status: components["schemas"]["WebhookStatus"];
            /** @description Names of events, comma separated, as given; null: all. */
            types: string | null;
            /** @description Where events are posted to. */
            url: string;
            /** @description Identifier of the webhook. */
            webhookId: string;
        };
        /** @description The delivery of an event to a webhook. */
        WebhookDelivery: {
            /** @description Attempts so far, since it was redelivered last. */
            attempts: components["schemas"]["Integer"];
            /** @description When the event was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            /** @description Identifier of the delivery: the header webhook-id, the same at every attempt. */
            deliveryId: string;
            /** @description When it was delivered or given up, Unix seconds; else null. */
            endedAt: components["schemas"]["UnixSeconds"] | null;
            /** @description Identifier of the event. */
            eventId: string;
            /** @description When the last attempt began, Unix seconds, or null. */
            lastAttemptAt: components["schemas"]["UnixSeconds"] | null;
            /** @description How long the last attempt took, milliseconds, or null. */
            lastDurationMs: components["schemas"]["Integer"] | null;
            /** @description What was wrong with the last attempt, in plain words, or null. */
            lastError: string | null;
            /** @description Status code that the last attempt was answered with, or null. */
            lastStatusCode: components["schemas"]["Integer"] | null;
            /** @description When the next attempt is due, Unix seconds; null where an earlier event about the same object is pending, or it has ended. */
            nextAttemptAt: components["schemas"]["UnixSeconds"] | null;
            /** @description The event's number in the log. */
            sequence: components["schemas"]["Integer"];
            /** @description pending, delivered or dead. Dead: it failed for three days, or its event is older than the log. */
            status: components["schemas"]["DeliveryStatus"];
            /** @description What happened, for example order.filled. */
            type: components["schemas"]["EventType"];
        };
        /** @description Deliveries of a webhook. */
        WebhookDeliveryPage: {
            /** @description Cursor of the next page; null at the end. */
            nextCursor: string | null;
            /** @description The deliveries, newest event first. */
            rows: components["schemas"]["WebhookDelivery"][];
        };
        /** @description A webhook failed for three days, or answered 410. */
        WebhookDisabledEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["Webhook"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "webhooks";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook.disabled";
        };
        /**
         * @description Why a webhook is disabled.
         *
         *     Values may be added.
         * @enum {string}
         */
        WebhookDisabledReason: "failing" | "gone" | "paused_by_operator" | (string & {});
        /** @description Webhooks of an API key. */
        WebhookList: {
            /** @description The webhooks, oldest first. */
            rows: components["schemas"]["Webhook"][];
        };
        WebhooksCreateInput: {
            /** @description Names of events, comma separated; order.* stands for all that begin so. Left out: all. */
            types?: string;
            /** @description Where events are posted to: https, on a public address, port 443 or one from 1024 on. */
            url: string;
        };
        WebhooksDeliveriesQuery: {
            /** @description nextCursor of the page before. */
            cursor?: string;
            /** @description Deliveries at most, up to 100; default 10. */
            limit?: number;
            /**
             * @description pending, delivered or dead. Left out: all.
             * @enum {string}
             */
            status?: "pending" | "delivered" | "dead";
        };
        WebhooksRotateInput: {
            /** @description How long the secrets before it go on signing, up to 604800; default 86400. 0 ends them at once. */
            overlapSeconds?: number;
        };
        /**
         * @description Whether events are delivered to a webhook.
         * @enum {string}
         */
        WebhookStatus: "enabled" | "disabled";
        /** @description What came of a test. */
        WebhookTest: {
            /** @description True where the receiver answered 2xx in time. */
            delivered: boolean;
            /** @description How long it took, milliseconds. */
            durationMs: components["schemas"]["Integer"];
            /** @description What was wrong, in plain words, or null. */
            error: string | null;
            /** @description Status code of the answer; null where none came. */
            statusCode: components["schemas"]["Integer"] | null;
        };
        /** @description A test of the webhook. It is in no log. */
        WebhookTestEvent: {
            /** @description The block that brought it about; null where none did. */
            blockNumber: components["schemas"]["BlockNumber"] | null;
            /** @description When it was written, Unix seconds. */
            createdAt: components["schemas"]["UnixSeconds"];
            data: components["schemas"]["TestedWebhook"];
            /** @description Identifier of the event. */
            eventId: string;
            /**
             * @description What the event is about: the list that it folds into.
             * @enum {string}
             */
            resource: "webhooks";
            /** @description The event about the same object that does not hold any more, since a reorg took it back; or null. */
            retracts: string | null;
            /** @description Counts the events of this key in this scope, from 1 and without gaps. */
            sequence: components["schemas"]["Integer"];
            /** @description The transaction that brought it about, or null. */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * @description What happened.
             * @constant
             */
            type: "webhook.test";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type ActionStatus = components['schemas']['ActionStatus'];
export type ActionType = components['schemas']['ActionType'];
export type Activity = components['schemas']['Activity'];
export type ActivityKind = components['schemas']['ActivityKind'];
export type ActivityList = components['schemas']['ActivityList'];
export type Address = components['schemas']['Address'];
export type AppliedCorporateAction = components['schemas']['AppliedCorporateAction'];
export type AppliedDistribution = components['schemas']['AppliedDistribution'];
export type ArmedCancelAfter = components['schemas']['ArmedCancelAfter'];
export type AssetAmount = components['schemas']['AssetAmount'];
export type Balance = components['schemas']['Balance'];
export type BlockNumber = components['schemas']['BlockNumber'];
export type Bytes = components['schemas']['Bytes'];
export type CalendarListQuery = components['schemas']['CalendarListQuery'];
export type Call = components['schemas']['Call'];
export type CallArguments = components['schemas']['CallArguments'];
export type Calldata = components['schemas']['Calldata'];
export type CallingKey = components['schemas']['CallingKey'];
export type CallingKeyPolicy = components['schemas']['CallingKeyPolicy'];
export type CancelAfter = components['schemas']['CancelAfter'];
export type CancelCalldata = components['schemas']['CancelCalldata'];
export type CancelCalldataList = components['schemas']['CancelCalldataList'];
export type CancelSend = components['schemas']['CancelSend'];
export type CancelSendList = components['schemas']['CancelSendList'];
export type CashCalldata = components['schemas']['CashCalldata'];
export type CashDepositsCalldataInput = components['schemas']['CashDepositsCalldataInput'];
export type CashDepositsListQuery = components['schemas']['CashDepositsListQuery'];
export type CashDepositsRecordInput = components['schemas']['CashDepositsRecordInput'];
export type CashDepositsSendInput = components['schemas']['CashDepositsSendInput'];
export type CashForecast = components['schemas']['CashForecast'];
export type CashierBuffer = components['schemas']['CashierBuffer'];
export type CashierToken = components['schemas']['CashierToken'];
export type CashWithdrawalsCalldataInput = components['schemas']['CashWithdrawalsCalldataInput'];
export type CashWithdrawalsListQuery = components['schemas']['CashWithdrawalsListQuery'];
export type CashWithdrawalsRecordInput = components['schemas']['CashWithdrawalsRecordInput'];
export type CashWithdrawalsSendInput = components['schemas']['CashWithdrawalsSendInput'];
export type ChainStatus = components['schemas']['ChainStatus'];
export type Clock = components['schemas']['Clock'];
export type Config = components['schemas']['Config'];
export type Contracts = components['schemas']['Contracts'];
export type CorporateAction = components['schemas']['CorporateAction'];
export type CorporateActionAppliedEvent = components['schemas']['CorporateActionAppliedEvent'];
export type CorporateActionListQuery = components['schemas']['CorporateActionListQuery'];
export type Decimal = components['schemas']['Decimal'];
export type DelegateMessage = components['schemas']['DelegateMessage'];
export type Delegation = components['schemas']['Delegation'];
export type DelegationChange = components['schemas']['DelegationChange'];
export type DelegationDisabledEvent = components['schemas']['DelegationDisabledEvent'];
export type DelegationEnabledEvent = components['schemas']['DelegationEnabledEvent'];
export type DelegationPayload = components['schemas']['DelegationPayload'];
export type DelegationStatus = components['schemas']['DelegationStatus'];
export type DeliveryStatus = components['schemas']['DeliveryStatus'];
export type Distribution = components['schemas']['Distribution'];
export type DistributionAppliedEvent = components['schemas']['DistributionAppliedEvent'];
export type EndedStatus = components['schemas']['EndedStatus'];
export type ErrCode = components['schemas']['ErrCode'];
export type EventPage = components['schemas']['EventPage'];
export type EventsListQuery = components['schemas']['EventsListQuery'];
export type EventType = components['schemas']['EventType'];
export type ExchangeFeeConfig = components['schemas']['ExchangeFeeConfig'];
export type ExpiringKey = components['schemas']['ExpiringKey'];
export type Failure = components['schemas']['Failure'];
export type Fill = components['schemas']['Fill'];
export type Hash = components['schemas']['Hash'];
export type Health = components['schemas']['Health'];
export type HistoryOrder = components['schemas']['HistoryOrder'];
export type Integer = components['schemas']['Integer'];
export type KeyExpiringEvent = components['schemas']['KeyExpiringEvent'];
export type KeyLimits = components['schemas']['KeyLimits'];
export type KeyRotateInput = components['schemas']['KeyRotateInput'];
export type KeyScope = components['schemas']['KeyScope'];
export type ListedPrice = components['schemas']['ListedPrice'];
export type MaintenanceAnnouncedEvent = components['schemas']['MaintenanceAnnouncedEvent'];
export type MaintenanceCanceledEvent = components['schemas']['MaintenanceCanceledEvent'];
export type MaintenanceNotice = components['schemas']['MaintenanceNotice'];
export type Mapping = components['schemas']['Mapping'];
export type MappingRemovedEvent = components['schemas']['MappingRemovedEvent'];
export type MappingSource = components['schemas']['MappingSource'];
export type MappingStatus = components['schemas']['MappingStatus'];
export type MarketDataStatus = components['schemas']['MarketDataStatus'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type OnChainStatus = components['schemas']['OnChainStatus'];
export type OneClickEnableInput = components['schemas']['OneClickEnableInput'];
export type OneClickPrepareInput = components['schemas']['OneClickPrepareInput'];
export type OpenOrder = components['schemas']['OpenOrder'];
export type OpenStatus = components['schemas']['OpenStatus'];
export type Operation = components['schemas']['Operation'];
export type OperationCanceledEvent = components['schemas']['OperationCanceledEvent'];
export type OperationCompletedEvent = components['schemas']['OperationCompletedEvent'];
export type OperationDetail = components['schemas']['OperationDetail'];
export type OperationFailedEvent = components['schemas']['OperationFailedEvent'];
export type OperationList = components['schemas']['OperationList'];
export type OperationPendingEvent = components['schemas']['OperationPendingEvent'];
export type OperationProcessingEvent = components['schemas']['OperationProcessingEvent'];
export type OperationStatus = components['schemas']['OperationStatus'];
export type OperationType = components['schemas']['OperationType'];
export type Order = components['schemas']['Order'];
export type OrderCanceledEvent = components['schemas']['OrderCanceledEvent'];
export type OrderCancelingEvent = components['schemas']['OrderCancelingEvent'];
export type OrderEstimate = components['schemas']['OrderEstimate'];
export type OrderExpiredEvent = components['schemas']['OrderExpiredEvent'];
export type OrderFailedEvent = components['schemas']['OrderFailedEvent'];
export type OrderFee = components['schemas']['OrderFee'];
export type OrderFilledEvent = components['schemas']['OrderFilledEvent'];
export type OrderList = components['schemas']['OrderList'];
export type OrderMappedEvent = components['schemas']['OrderMappedEvent'];
export type OrderMinimum = components['schemas']['OrderMinimum'];
export type OrderPartiallyFilledEvent = components['schemas']['OrderPartiallyFilledEvent'];
export type OrderPlacedEvent = components['schemas']['OrderPlacedEvent'];
export type OrderRejectedEvent = components['schemas']['OrderRejectedEvent'];
export type OrdersCalldataInput = components['schemas']['OrdersCalldataInput'];
export type OrdersCancelAfterInput = components['schemas']['OrdersCancelAfterInput'];
export type OrdersCancelManyCalldataInput = components['schemas']['OrdersCancelManyCalldataInput'];
export type OrdersCancelManySendInput = components['schemas']['OrdersCancelManySendInput'];
export type OrdersCancelSendInput = components['schemas']['OrdersCancelSendInput'];
export type OrdersListQuery = components['schemas']['OrdersListQuery'];
export type OrdersPreviewInput = components['schemas']['OrdersPreviewInput'];
export type OrdersRecordInput = components['schemas']['OrdersRecordInput'];
export type OrdersSendInput = components['schemas']['OrdersSendInput'];
export type OrderStatus = components['schemas']['OrderStatus'];
export type OrdersWithDepositCalldataInput = components['schemas']['OrdersWithDepositCalldataInput'];
export type OrdersWithDepositSendInput = components['schemas']['OrdersWithDepositSendInput'];
export type OrderType = components['schemas']['OrderType'];
export type Position = components['schemas']['Position'];
export type Preflight = components['schemas']['Preflight'];
export type PreflightCheck = components['schemas']['PreflightCheck'];
export type PreflightCheckName = components['schemas']['PreflightCheckName'];
export type Price = components['schemas']['Price'];
export type PriceBar = components['schemas']['PriceBar'];
export type PricesHistoryQuery = components['schemas']['PricesHistoryQuery'];
export type PricesListQuery = components['schemas']['PricesListQuery'];
export type Quote = components['schemas']['Quote'];
export type RotatedKey = components['schemas']['RotatedKey'];
export type Send = components['schemas']['Send'];
export type SendConfirmedEvent = components['schemas']['SendConfirmedEvent'];
export type SendFailedEvent = components['schemas']['SendFailedEvent'];
export type SendList = components['schemas']['SendList'];
export type SendOperation = components['schemas']['SendOperation'];
export type SendsListQuery = components['schemas']['SendsListQuery'];
export type SendStatus = components['schemas']['SendStatus'];
export type SendSubmittedEvent = components['schemas']['SendSubmittedEvent'];
export type ServiceStatus = components['schemas']['ServiceStatus'];
export type Session = components['schemas']['Session'];
export type Side = components['schemas']['Side'];
export type Statement = components['schemas']['Statement'];
export type StatementBalance = components['schemas']['StatementBalance'];
export type StatementFill = components['schemas']['StatementFill'];
export type StatementRow = components['schemas']['StatementRow'];
export type StatusChange = components['schemas']['StatusChange'];
export type StatusChangedEvent = components['schemas']['StatusChangedEvent'];
export type StockDepositsCalldataInput = components['schemas']['StockDepositsCalldataInput'];
export type StockDepositsListQuery = components['schemas']['StockDepositsListQuery'];
export type StockDepositsRecordInput = components['schemas']['StockDepositsRecordInput'];
export type StockDepositsSendInput = components['schemas']['StockDepositsSendInput'];
export type StockSymbol = components['schemas']['StockSymbol'];
export type StockWithdrawalsCalldataInput = components['schemas']['StockWithdrawalsCalldataInput'];
export type StockWithdrawalsListQuery = components['schemas']['StockWithdrawalsListQuery'];
export type StockWithdrawalsRecordInput = components['schemas']['StockWithdrawalsRecordInput'];
export type StockWithdrawalsSendInput = components['schemas']['StockWithdrawalsSendInput'];
export type SymbolsListQuery = components['schemas']['SymbolsListQuery'];
export type TestedWebhook = components['schemas']['TestedWebhook'];
export type TimeInForce = components['schemas']['TimeInForce'];
export type TokenBalance = components['schemas']['TokenBalance'];
export type TokenContext = components['schemas']['TokenContext'];
export type TokenPrice = components['schemas']['TokenPrice'];
export type TradingDay = components['schemas']['TradingDay'];
export type TradingEvent = components['schemas']['TradingEvent'];
export type TypedData = components['schemas']['TypedData'];
export type TypedDataDomain = components['schemas']['TypedDataDomain'];
export type TypedDataField = components['schemas']['TypedDataField'];
export type TypedDataTypes = components['schemas']['TypedDataTypes'];
export type Unauthorized = components['schemas']['Unauthorized'];
export type UnixSeconds = components['schemas']['UnixSeconds'];
export type UsersActivitiesQuery = components['schemas']['UsersActivitiesQuery'];
export type UsersBalanceQuery = components['schemas']['UsersBalanceQuery'];
export type UsersStatementQuery = components['schemas']['UsersStatementQuery'];
export type WalletTypedData = components['schemas']['WalletTypedData'];
export type WalletTypedDataTypes = components['schemas']['WalletTypedDataTypes'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryPage = components['schemas']['WebhookDeliveryPage'];
export type WebhookDisabledEvent = components['schemas']['WebhookDisabledEvent'];
export type WebhookDisabledReason = components['schemas']['WebhookDisabledReason'];
export type WebhookList = components['schemas']['WebhookList'];
export type WebhooksCreateInput = components['schemas']['WebhooksCreateInput'];
export type WebhooksDeliveriesQuery = components['schemas']['WebhooksDeliveriesQuery'];
export type WebhooksRotateInput = components['schemas']['WebhooksRotateInput'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type WebhookTest = components['schemas']['WebhookTest'];
export type WebhookTestEvent = components['schemas']['WebhookTestEvent'];
