export default async function teardown() {
  globalThis.removeDeployedChain?.();
  await globalThis.stopTestPostgres?.();
}
