/** Returns a sample of an operator's port, by the beginning of its line; 0 where there is none. */
export async function readMetric(operatorUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${operatorUrl}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(name));
  return Number(line?.split(" ").at(-1) ?? 0);
}
