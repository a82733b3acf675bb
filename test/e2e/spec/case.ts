import { expect } from "@jest/globals";
import type { Answer, Bend } from "../../support/http/partner.ts";

/** One try of a row of the specification: what is the case, what is asked, what comes out. */
export interface Case {
  condition: string;
  request: () => Promise<unknown>;
  /** Matches what the request gave, as toMatchObject. */
  outcome: object;
}

export type Cases = Readonly<Record<string, readonly Case[]>>;

/** What an answer tells, in a form to be matched. */
export const told = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return { status, ...body };
};

/** A success, with what its data holds. */
export const ok = (held: unknown): object => ({ status: 200, code: 200, errMsg: "", data: held });
export const refused = (code: number, errCode: string, more: object = {}): object => ({
  status: 400,
  code,
  errCode,
  data: null,
  ...more,
});
export const UNAUTHORIZED: object = { status: 400, code: 401, errMsg: "Unauthorized", data: null };

export const some = (pattern: RegExp): unknown => expect.stringMatching(pattern);
/** Of a send whose transaction is out; a slow caller hears that it is mined already. */
export const SENT_STATUS = some(/^(submitted|confirmed)$/);
export const HASH = some(/^0x[0-9a-f]{64}$/);
export const AMOUNT = some(/^-?\d+(\.\d+)?$/);
export const LIST: unknown = expect.any(Array);
/** A list that has, among others, a member for each of these. */
export const allOf = (members: readonly object[]): unknown =>
  expect.arrayContaining(members.map((member) => expect.objectContaining(member)));
/** A list that has, among others, a member that holds this. */
export const listOf = (member: object): unknown => allOf([member]);
export const NUMBER: unknown = expect.any(Number);

/** The five lines that a request signs. */
export const linesOf = (parts: Parameters<NonNullable<Bend["payload"]>>[0]): string[] => [
  parts.method,
  parts.uri,
  parts.ts,
  parts.nonce,
  parts.body,
];
