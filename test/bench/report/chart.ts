import type { Result } from "./result.ts";
import { nameOf, rounded } from "./text.ts";

const BAR = { height: 16, gap: 4, width: 420 };
const LEFT = 150;
const TITLE = 28;
const COLORS: Record<string, string> = { this: "#2563eb" };
const OTHERS = "#9ca3af";

/** Draws requests a second of all contestants of an order's detail, a group of bars for each number of connections. */
export function toSvg({ sections, takenAt, commit }: Result): string {
  const groups = sections.filter(({ scenario }) => scenario === "detail");
  const shown = groups.map(({ connections, series }) => ({
    title: nameOf(connections ?? 0),
    bars: series.filter(({ name }) => !name.startsWith("no database")),
  }));
  const most = Math.max(...shown.flatMap(({ bars }) => bars.map(({ perSecond }) => perSecond)));
  const parts: string[] = [];
  let y = TITLE;
  for (const { title, bars } of shown) {
    parts.push(`<text x="8" y="${y + 14}" font-weight="bold">${title}</text>`);
    y += TITLE - 6;
    for (const { name, perSecond } of bars) {
      const width = Math.max(1, (perSecond / most) * BAR.width);
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end">${escapeXml(name)}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR.height}" fill="${COLORS[name] ?? OTHERS}"/>`,
        `<text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 12}">${rounded(perSecond)}/s</text>`,
      );
      y += BAR.height + BAR.gap;
    }
    y += BAR.gap * 2;
  }
  const width = LEFT + BAR.width + 90;
  const title = `GET /orders/{orderId}, requests a second, ${takenAt.slice(0, 10)}, ${commit}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${y}" fill="#ffffff"/>`,
    `<text x="8" y="18" font-size="14">${escapeXml(title)}</text>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
