/** What POST /1ct/prepare answers (docs/api.md#one-click), as a user's wallet is asked to sign it. */
export interface Prepared {
  delegatee: string;
  nonce: number;
  deadline: number;
  signPayload: {
    domain: Record<string, unknown>;
    types: Record<string, { name: string; type: string }[]>;
    message: Record<string, unknown> & { user: string };
  };
}
