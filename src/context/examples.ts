/** Values of the OpenAPI document's examples, one for each kind, so that an operation's request and answer agree. */
export const EXAMPLE_ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const EXAMPLE_HASH = "0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f";

/**
 * Parts of an answer's data, by the name of the request that it answers; the rest is the example of the data's type. An endpoint
 * whose shape names no requests has one, `default`.
 */
export type AnswerExamples = Readonly<Record<string, object>>;
