import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "@jest/globals";
import { withCallersName } from "../src/browser-guard.ts";

function calledBy(host: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { host };
  return request;
}

const state = {
  baseUrl: "http://127.0.0.1:3000",
  chains: [{ rpcUrl: "http://127.0.0.1:8545" }],
  text: "on 127.0.0.1",
};

it.each(["127.0.0.1:4000", "localhost:4000", "[::1]:4000"])(
  "a caller at %s gets URLs of this machine",
  (host) => {
    expect(withCallersName(calledBy(host), state)).toEqual(state);
  },
);

it("a caller that names this machine otherwise gets URLs with that name", () => {
  expect(withCallersName(calledBy("Sandbox:4000"), state)).toEqual({
    baseUrl: "http://sandbox:3000",
    chains: [{ rpcUrl: "http://sandbox:8545" }],
    text: "on 127.0.0.1",
  });
});
