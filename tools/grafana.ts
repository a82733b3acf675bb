import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DASHBOARDS } from "./grafana/dashboards.ts";
import { render } from "./grafana/panels.ts";

/** `npm run dashboards`: writes deploy/grafana/dashboards. */
const FOLDER = fileURLToPath(new URL("../deploy/grafana/dashboards/", import.meta.url));

/** Returns the JSON of each dashboard, by the name of its file. Each panel is a line, so that its change is a change of one line. */
export function dashboardFiles(): Map<string, string> {
  return new Map(DASHBOARDS.map((dashboard) => [`${dashboard.name}.json`, print(render(dashboard))]));
}

function print(model: object): string {
  const lines = Object.entries(model).map(([key, value]) => {
    if (key !== "panels") return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const panels = (value as object[]).map((each) => `    ${JSON.stringify(each)}`);
    return `  "panels": [\n${panels.join(",\n")}\n  ]`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of dashboardFiles()) writeFileSync(FOLDER + name, text);
}
