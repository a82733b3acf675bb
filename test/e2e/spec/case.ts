import { expect } from "@jest/globals";
import type { Answer, Bend } from "../../support/http/partner.ts";

/** A test case of a row of the specification: the condition, the request and the expected outcome. */
export interface Case {
  condition: string;
  request: () => Promise<unknown>;
  /** Matches what the request gave, as toMatchObject. */
  outcome: object;
}

export type Cases = Readonly<Record<string, readonly Case[]>>;

/** Returns the parts of an answer that cases match. */
export const told = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return { status, ...body };
};

/** Returns the outcome of a success with the given data. */
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
/** Status of a send after its broadcast; a slow caller gets "confirmed". */
export const SENT_STATUS = some(/^(submitted|confirmed)$/);
export const HASH = some(/^0x[0-9a-f]{64}$/);
export const AMOUNT = some(/^-?\d+(\.\d+)?$/);
export const LIST: unknown = expect.any(Array);
/** Returns a matcher of lists that contain a match of each member. */
export const allOf = (members: readonly object[]): unknown =>
  expect.arrayContaining(members.map((member) => expect.objectContaining(member)));
/** Returns a matcher of lists that contain a match of the member. */
export const listOf = (member: object): unknown => allOf([member]);
export const NUMBER: unknown = expect.any(Number);

/** Returns the five lines that a request signs. */
export const linesOf = (parts: Parameters<NonNullable<Bend["payload"]>>[0]): string[] => [
  parts.method,
  parts.uri,
  parts.ts,
  parts.nonce,
  parts.body,
];
