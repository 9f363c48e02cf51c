import type { Reason } from "../reasons/reason.ts";
import { reasonText } from "../reasons/reason-text.ts";

/**
 * A fault at which reading the export stops, such as a missing column, bytes that are not UTF-8, a quotation mark that
 * is never closed, or too many units. All rows before `line` have been read. The message states the line and, in
 * English, the reason.
 */
export class ExportError extends Error {
  readonly reason: Reason;
  /** Physical line, 1-based, including the header; null if the fault is not in a single line. */
  readonly line: number | null;
  /** The column at fault; null if the fault concerns the whole row or file. */
  readonly column: string | null;

  constructor(
    reason: Reason,
    { line = null, column = null, cause }: Partial<Pick<ExportError, "line" | "column" | "cause">> = {},
  ) {
    const text = reasonText(reason, "en");
    super(line === null ? text : `Line ${line}: ${text}`, { cause });
    this.name = "ExportError";
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}
