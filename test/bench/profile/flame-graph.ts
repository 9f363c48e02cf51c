import type { Frame, FrameGroup } from "./cpu-profile.ts";

const width = 1_200;
const rowHeight = 15;
const charWidth = 6.2;
const headHeight = 24;

const colours: Readonly<Record<FrameGroup, string>> = {
  services: "#e8743b",
  proto: "#d9b43c",
  driver: "#5a9e5a",
  grpc: "#4a86c5",
  "other packages": "#9a7fc0",
  node: "#a8a8a8",
  gc: "#c44e52",
  native: "#c9c9c9",
};

/**
 * Draws a call tree as an SVG flame graph: the width of a box is proportional to the time spent in a function and its
 * callees, callers are above their callees, and a tooltip shows the function's name and its share of the time.
 *
 * @param shareMin functions with a smaller share of the time are left out, with their callees
 */
export function flameGraph(title: string, root: Frame, shareMin = 0.005): string {
  const boxes: string[] = [];
  let depthMax = 0;
  const draw = (frame: Frame, x: number, depth: number) => {
    const boxWidth = (width * frame.total) / root.total;
    depthMax = Math.max(depthMax, depth);
    boxes.push(box(frame, { x, y: headHeight + depth * rowHeight, boxWidth }, frame.total / root.total));
    let left = x;
    for (const child of frame.children) {
      if (child.total / root.total < shareMin) continue;
      draw(child, left, depth + 1);
      left += (width * child.total) / root.total;
    }
  };
  draw(root, 0, 0);
  const height = headHeight + (depthMax + 1) * rowHeight + 22;
  const legend = Object.entries(colours).map(([group, colour], index) => {
    const x = 4 + index * 120;
    return `<rect x="${x}" y="${height - 16}" width="10" height="10" fill="${colour}"/><text x="${x + 14}" y="${height - 7}">${group}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/><text x="4" y="16" font-size="13">${escaped(title)}</text>`,
    ...boxes,
    ...legend,
    "</svg>",
    "",
  ].join("\n");
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly boxWidth: number;
}

function box({ name, group }: Frame, { x, y, boxWidth }: Place, share: number): string {
  const at = `x="${x.toFixed(1)}" y="${y}"`;
  const rect = `<rect ${at} width="${boxWidth.toFixed(1)}" height="${rowHeight - 1}" fill="${colours[group]}"/>`;
  const chars = Math.floor((boxWidth - 4) / charWidth);
  const label =
    chars < 3 ? "" : `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escaped(name.slice(0, chars))}</text>`;
  return `<g><title>${escaped(name)} ${(100 * share).toFixed(1)} %</title>${rect}${label}</g>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
