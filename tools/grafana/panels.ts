// Builds the parts of a Grafana dashboard, more briefly than its JSON. The model is the classic one, which every version reads.

/** Units of Grafana in use here. */
export type Unit =
  | "short"
  | "reqps"
  | "ops"
  | "s"
  | "percentunit"
  | "bytes"
  | "none"
  | "bool_on_off"
  | "dateTimeAsIso";

/** A query and the name of its series. */
export type Query = readonly [expression: string, legend: string];

export interface PanelOptions {
  /** Width in columns, of 24. */
  width?: number;
  type?: "timeseries" | "stat" | "bargauge" | "table";
  /** Values from which it is orange and red; with orange above red, lower is worse. */
  thresholds?: readonly [orange: number, red: number];
  stacked?: boolean;
  max?: number;
  decimals?: number;
  description?: string;
}

export interface Panel extends PanelOptions {
  title: string;
  unit: Unit;
  queries: readonly Query[];
}

/** Heading across the whole width, above the panels that follow it. */
export interface Heading {
  heading: string;
}

export interface Dashboard {
  /** Name of its file, and end of its address. */
  name: string;
  title: string;
  description: string;
  /** True where panels may be narrowed to a chain, by the label chain_id. */
  byChain?: boolean;
  items: readonly (Panel | Heading)[];
}

const HEIGHT = 7;
const STAT_HEIGHT = 4;
const COLUMNS = 24;
const DATASOURCE = { type: "prometheus", uid: "$datasource" };

export const panel = (
  title: string,
  unit: Unit,
  queries: readonly Query[],
  options: PanelOptions = {},
): Panel => ({ title, unit, queries, ...options });

export const stat = (title: string, unit: Unit, expression: string, options: PanelOptions = {}): Panel => ({
  title,
  unit,
  queries: [[expression, ""]],
  type: "stat",
  width: 4,
  ...options,
});

/** Returns the dashboard in Grafana's format. */
export function render({ name, title, description, byChain, items }: Dashboard): object {
  return {
    uid: `partner-trading-${name}`,
    title: `Partner trading / ${title}`,
    description,
    tags: ["partner-trading"],
    timezone: "utc",
    schemaVersion: 39,
    editable: false,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    links: [
      {
        type: "dashboards",
        title: "Partner trading",
        tags: ["partner-trading"],
        asDropdown: true,
        keepTime: true,
      },
    ],
    templating: { list: [datasourceVariable, ...(byChain ? [chainVariable] : [])] },
    panels: place(items),
  };
}

const datasourceVariable = {
  name: "datasource",
  label: "Prometheus",
  type: "datasource",
  query: "prometheus",
};

const chainVariable = {
  name: "chain",
  label: "Chain",
  type: "query",
  datasource: DATASOURCE,
  refresh: 2,
  query: "label_values(indexer_block_age_seconds, chain_id)",
  includeAll: true,
  allValue: ".*",
  current: { text: "All", value: "$__all" },
};

/** Places panels beside each other until a line is full. */
function place(items: readonly (Panel | Heading)[]): object[] {
  let [x, y, lineHeight] = [0, 0, 0];
  const newLine = () => {
    [x, y, lineHeight] = [0, y + lineHeight, 0];
  };
  return items.map((item, index) => {
    const isHeading = "heading" in item;
    const w = isHeading ? COLUMNS : (item.width ?? 8);
    const h = isHeading ? 1 : item.type === "stat" ? STAT_HEIGHT : HEIGHT;
    if (x + w > COLUMNS || h < lineHeight) newLine();
    const at = { gridPos: { x, y, w, h }, id: index + 1 };
    x += w;
    lineHeight = Math.max(lineHeight, h);
    return isHeading
      ? { type: "row", title: item.heading, collapsed: false, panels: [], ...at }
      : { ...renderPanel(item), ...at };
  });
}

function renderPanel({ title, unit, queries, type = "timeseries", description, ...options }: Panel): object {
  const instant = type !== "timeseries";
  return {
    type,
    title,
    ...(description ? { description } : {}),
    datasource: DATASOURCE,
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
      ...(instant ? { instant: true } : {}),
      ...(type === "table" ? { format: "table" } : {}),
    })),
    fieldConfig: { defaults: defaultsOf(unit, type, options), overrides: [] },
    ...(type === "timeseries"
      ? {
          options: {
            legend: { displayMode: "list", placement: "bottom" },
            tooltip: { mode: "multi", sort: "desc" },
          },
        }
      : {}),
    ...(type === "stat" || type === "bargauge"
      ? { options: { reduceOptions: { calcs: ["lastNotNull"] } } }
      : {}),
  };
}

function defaultsOf(
  unit: Unit,
  type: Panel["type"],
  { thresholds, stacked, max, decimals }: PanelOptions,
): object {
  return {
    unit,
    ...(max === undefined ? {} : { min: 0, max }),
    ...(decimals === undefined ? {} : { decimals }),
    ...(thresholds ? { thresholds: { mode: "absolute", steps: stepsOf(thresholds) } } : {}),
    ...(type === "timeseries"
      ? {
          custom: {
            lineWidth: 1,
            fillOpacity: stacked ? 30 : 5,
            showPoints: "never",
            ...(stacked ? { stacking: { mode: "normal" } } : {}),
            ...(thresholds ? { thresholdsStyle: { mode: "dashed" } } : {}),
          },
        }
      : {}),
  };
}

/** Grafana's steps ascend, and the first has no value. */
const stepsOf = ([orange, red]: readonly [number, number]): object[] =>
  orange <= red
    ? [step("green", null), step("orange", orange), step("red", red)]
    : [step("red", null), step("orange", red), step("green", orange)];

const step = (color: string, value: number | null) => ({ color, value });
