/** A family of Prometheus' text format: the lines of its HELP and TYPE, and its samples. */
interface Family {
  head: string;
  samples: string[];
}

/**
 * Merges the metrics of the indexer's processes in Prometheus' text format: HELP and TYPE of a name stand once, and samples of a chain's
 * process have the label `chain`, as most of Ponder's have by themselves.
 * @param own metrics of the process that runs the others
 * @param chains those of Ponder's processes by chain id
 */
export function mergeMetrics(own: string, chains: ReadonlyMap<number, string>): string {
  const families = new Map<string, Family>();
  addTo(families, own, (sample) => sample);
  for (const [chainId, text] of chains) addTo(families, text, (sample) => withChain(sample, chainId));
  return [...families.values()].map(({ head, samples }) => `${head}\n${samples.join("\n")}\n`).join("\n");
}

function addTo(families: Map<string, Family>, text: string, label: (sample: string) => string): void {
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [help = "", type, ...samples] = block.trim().split("\n");
    const name = help.split(" ")[2];
    if (type === undefined || name === undefined) continue;
    const family = families.get(name) ?? { head: `${help}\n${type}`, samples: [] };
    family.samples.push(...samples.map(label));
    families.set(name, family);
  }
}

/** Adds the label to `name value` or `name{labels} value`, where it has none. */
function withChain(sample: string, chainId: number): string {
  const end = sample.lastIndexOf(" ");
  const [series, value] = [sample.slice(0, end), sample.slice(end)];
  const label = `chain="${chainId}"}`;
  if (!series.endsWith("}")) return `${series}{${label}${value}`;
  return /[{,]chain="/.test(series) ? sample : `${series.slice(0, -1)},${label}${value}`;
}
