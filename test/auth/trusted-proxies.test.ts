import { expect, it } from "@jest/globals";
import pino from "pino";
import { followProxies, type TrustedProxies } from "../../src/auth/trusted-proxies.ts";
import { formatRange, parseRange } from "../../src/config/ip-range.ts";
import { until } from "../support/assert/until.ts";

const log = pino({ level: "silent" });
const RANGES = ["10.9.0.0/16"].flatMap((text) => parseRange(text) ?? []);
const NAME = "proxies.ingress.svc";
const shown = (proxies: TrustedProxies) => proxies.ranges().map(formatRange);

it("trusts the addresses that a name has now, and those of its last answer while it has none", async () => {
  const answers: (string[] | Error)[] = [["10.1.0.7", "fd00::7"], new Error("EAI_AGAIN"), ["10.1.0.8"]];
  const seen: string[][] = [];
  let proxies: TrustedProxies | undefined;
  const lookup = async (name: string) => {
    expect(name).toBe(NAME);
    if (proxies) seen.push(shown(proxies));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  proxies = await followProxies({ ranges: RANGES, names: [NAME] }, log, { lookup, everyMs: 1 });
  expect(shown(proxies)).toEqual(["10.9.0.0/16", "10.1.0.7", "fd00::7"]);
  await until("the name's new address is trusted", async () => shown(proxies).includes("10.1.0.8"));
  proxies.stop();
  expect(shown(proxies)).toEqual(["10.9.0.0/16", "10.1.0.8"]);
  // Asked for again after the failure: with the addresses from before it.
  expect(seen[1]).toEqual(["10.9.0.0/16", "10.1.0.7", "fd00::7"]);
});

it("trusts nobody by a name that was never answered, and starts all the same", async () => {
  const lookup = async () => {
    throw new Error("ENOTFOUND");
  };
  const proxies = await followProxies({ ranges: RANGES, names: [NAME] }, log, { lookup });
  expect(shown(proxies)).toEqual(["10.9.0.0/16"]);
  proxies.stop();
});

it("asks the system for every address of a name", async () => {
  const proxies = await followProxies({ ranges: [], names: ["localhost"] }, log);
  expect(shown(proxies)).toContain("127.0.0.1");
  proxies.stop();
});
