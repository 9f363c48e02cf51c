import stringWidth from "string-width";

/** A column of a table on a terminal. */
export interface TableColumn {
  readonly title: string;
  /** Whether values are always shown in full. Set for values that people copy, such as ids, and for short values. */
  readonly isWhole?: boolean;
  /** The smallest width to which values are cut. Default: 10. */
  readonly widthMin?: number;
  /** Whether the column is hidden before the others. Default: columns are hidden from the right. */
  readonly isHiddenFirst?: boolean;
}

const gap = "  ";
const defaultWidthMin = 10;

/** The smallest width of a time: its date and `…`. */
export const timeWidthMin = 11;

/**
 * Lays out a table within a width: cuts the widest columns first, then hides the columns with `isHiddenFirst`, then
 * other columns from the right. Columns with `isWhole` are never cut or hidden, so a very narrow terminal wraps the
 * lines.
 *
 * @param width in terminal columns
 * @returns its lines, and the titles of the columns that are left out because the terminal is too narrow
 */
export function fitTable(columns: readonly TableColumn[], rows: readonly string[][], width: number) {
  const table = [columns.map(({ title }) => title), ...rows];
  const shown = columns.map((column, index) => ({
    index,
    title: column.title,
    isWhole: column.isWhole === true,
    widthMin: column.widthMin ?? defaultWidthMin,
    isHiddenFirst: column.isHiddenFirst === true,
    width: Math.max(...table.map((row) => stringWidth(row[index] ?? ""))),
  }));
  const excess = () => shown.reduce((sum, column) => sum + column.width + gap.length, -gap.length) - width;
  const hidden: string[] = [];
  while (excess() > 0) {
    const widest = shown
      .filter((column) => !column.isWhole && column.width > column.widthMin)
      .reduce((one, another) => (another.width > one.width ? another : one), { width: 0 });
    if (widest.width > 0) {
      widest.width -= 1;
      continue;
    }
    const first = shown.findIndex((column) => column.isHiddenFirst);
    const next = first === -1 ? shown.findLastIndex((column) => !column.isWhole) : first;
    if (next === -1) break;
    hidden.unshift(...shown.splice(next, 1).map(({ title }) => title));
  }
  const lines = table.map((row) =>
    shown
      .map((column) => padTo(cutTo(row[column.index] ?? "", column.width), column.width))
      .join(gap)
      .trimEnd(),
  );
  return { lines, hidden };
}

const segmenter = new Intl.Segmenter();

/** Cuts text that is wider than `width` terminal columns, and ends it with `…`. Never splits a grapheme. */
export function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = "";
  for (const { segment } of segmenter.segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

function padTo(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/**
 * Breaks a line between words and repeats its indentation. Each part fits the width, unless a single word is too long.
 */
export function wrapLine(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(" ")) {
    const next = current === indent ? current + word : `${current} ${word}`;
    if (stringWidth(next) > width && current !== indent) {
      lines.push(current);
      current = indent + word;
    } else current = next;
  }
  return [...lines, current];
}
