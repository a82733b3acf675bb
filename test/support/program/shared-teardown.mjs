export default async function teardown() {
  globalThis.removeKeptChains?.();
  await globalThis.stopTestPostgres?.();
}
