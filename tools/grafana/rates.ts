/** Grafana's own interval follows the scrapes and the zoom. */
export const RATE = "[$__rate_interval]";

export const rate = (series: string): string => `rate(${series}${RATE})`;

/** Returns a quantile of a histogram. @param by labels beside le, comma separated */
export const quantile = (q: number, bucket: string, by = ""): string =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (${rate(bucket)}))`;
