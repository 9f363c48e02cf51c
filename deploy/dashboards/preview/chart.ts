/** One line of a chart: its label, and its values over time. */
export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

const size = { width: 420, height: 150, left: 52, bottom: 18, top: 6 };
const colors = ["#3274d9", "#56a64b", "#e0b400", "#e02f44", "#8f3bb8", "#ff780a", "#0a8f96", "#7c2f00", "#888888"];

/** Renders series as an SVG line chart. @param limit drawn as a dashed line, unless far above the values */
export function lineChart(series: readonly Series[], format: (value: number) => string, limit?: number): string {
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return '<p class="empty">no data</p>';
  const times = points.map(([seconds]) => seconds);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const highest = Math.max(...points.map(([, value]) => value)) || limit || 1;
  // A limit far above the values would flatten the lines.
  const max = 1.08 * (limit !== undefined && limit < 4 * highest ? Math.max(limit, highest) : highest);
  const x = (seconds: number) => size.left + ((size.width - size.left) * (seconds - from)) / Math.max(1, to - from);
  const y = (value: number) => size.top + (size.height - size.top - size.bottom) * (1 - value / max);
  const grid = [0, 0.5, 1].map((share) => {
    const at = y(share * max);
    const line = `<line x1="${size.left}" x2="${size.width}" y1="${at}" y2="${at}" stroke="#ddd"/>`;
    return `${line}<text x="${size.left - 5}" y="${at + 4}" text-anchor="end">${format(share * max)}</text>`;
  });
  const clock = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 16);
  const axis = [from, (from + to) / 2, to].map((seconds, index) => {
    const anchor = ["start", "middle", "end"][index];
    return `<text x="${x(seconds)}" y="${size.height - 3}" text-anchor="${anchor}">${clock(seconds)}</text>`;
  });
  const lines = series.map(({ points: own }, index) => {
    const path = own.map(([seconds, value]) => `${x(seconds).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    return `<polyline points="${path}" fill="none" stroke="${colors[index % colors.length]}" stroke-width="1.4"/>`;
  });
  const dashed =
    limit === undefined || limit > max
      ? ""
      : `<line x1="${size.left}" x2="${size.width}" y1="${y(limit)}" y2="${y(limit)}" stroke="#e02f44" stroke-dasharray="4 3"/>`;
  const legend = series.map(
    ({ label }, index) =>
      `<span><i style="background:${colors[index % colors.length]}"></i>${escapeHtml(label)}</span>`,
  );
  const svg = `<svg viewBox="0 0 ${size.width} ${size.height}">${[...grid, ...axis, ...lines].join("")}${dashed}</svg>`;
  return `${svg}<div class="legend">${legend.join("")}</div>`;
}

/** Escapes text for the content of an HTML element; not sufficient for attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
