import { join } from "node:path";
import { build, programsBundle } from "../../../../build.mjs";
import { rpc } from "../../../../packages/sandbox/src/rpc.ts";
import { ROOT } from "../../../../src/config/root.ts";
import { startServer } from "../../contestants/process.ts";
import { enablePartner } from "../partner.ts";
import type { OwnSandboxScenario } from "../scenario.ts";
import { MINED, measureSends } from "../sends.ts";
import { withSandbox } from "../start.ts";

const SCRIPT = "test/bench/sandbox/stub/node.ts";
const DIRECTORY = join(ROOT, "test-results/bench-stub");
const CHAIN_ID = 31337;

/** Sends in a sandbox of its own, with a node that costs next to nothing (node.ts): what our own programs carry. */
export const sendsToStub: OwnSandboxScenario = async ({ isQuick }, report) => {
  await build([programsBundle([SCRIPT])], DIRECTORY);
  await withSandbox(async (sandbox) => {
    const { state } = sandbox;
    const enabled = await enablePartner(state);
    const { rpcUrl, contracts } = enabled.chain;
    await rpc(rpcUrl, "stub_start", [{ address: enabled.wallet, router: contracts.oneClickRouter }]);
    report(await measureSends({ ...sandbox, isQuick }, enabled, MINED));
  }, startStub);
};

/** Starts it with the sandbox's directory in its environment, by which its processor time is found. */
async function startStub(directory: string) {
  const node = await startServer({
    name: "stub-node",
    args: [join(DIRECTORY, SCRIPT.replace(/\.ts$/, ".js"))],
    env: { SANDBOX_DIR: directory, STUB_CHAIN_ID: String(CHAIN_ID) },
    path: "/",
  });
  return { env: { [`SANDBOX_RPC_URL_${CHAIN_ID}`]: node.url }, stop: node.stop };
}
