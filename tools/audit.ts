// `npm run audit`: asks the registry for advisories about the shipped packages (shipped-packages.ts), and prints them. Exits 1
// where there is one, and 2 where the registry does not answer. Arguments are npm's, such as --registry.
import { spawnSync } from "node:child_process";
import { z } from "zod";
import { ROOT } from "../src/config/root.ts";
import { shippedPackages } from "./shipped-packages.ts";

const advisorySchema = z.looseObject({
  title: z.string(),
  url: z.string(),
  severity: z.string(),
  range: z.string(),
});
/** `via` names a package where the fault is in that package. */
const vulnerabilitySchema = z.looseObject({
  name: z.string(),
  via: z.array(z.union([z.string(), advisorySchema])),
  nodes: z.array(z.string()),
});
const reportSchema = z.looseObject({ vulnerabilities: z.record(z.string(), vulnerabilitySchema) });

const shipped = new Set(await shippedPackages());
const { stdout, stderr } = spawnSync("npm", ["audit", "--json", ...process.argv.slice(2)], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
const report = reportSchema.safeParse(parse(stdout));
if (report.success) show(Object.values(report.data.vulnerabilities));
else {
  process.stderr.write(`npm audit gave no report:\n${stdout}${stderr}`);
  process.exitCode = 2;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function show(vulnerabilities: z.output<typeof vulnerabilitySchema>[]): void {
  const advisories = vulnerabilities.flatMap(({ name, via, nodes }) => {
    const places = nodes.filter((place) => shipped.has(place));
    const own = via.filter((each) => typeof each === "object");
    return places.length === 0 ? [] : own.map((advisory) => ({ name, places, ...advisory }));
  });
  for (const { name, range, severity, title, url, places } of advisories)
    process.stdout.write(`${severity}: ${name} ${range}: ${title}\n  ${url}\n  ${places.join("\n  ")}\n`);
  const count = advisories.length === 1 ? "1 advisory" : `${advisories.length || "no"} advisories`;
  process.stdout.write(`${count} about ${shipped.size} shipped packages\n`);
  if (advisories.length > 0) process.exitCode = 1;
}
