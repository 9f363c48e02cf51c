/**
 * A fault after which the export cannot be read: no header, a missing column, bytes that are not UTF-8, a quotation mark
 * that is never closed. All rows before `line` have been read. The message is a sentence for people that names line and
 * column.
 */
export class ExportError extends Error {
  /** Physical line, 1-based, including the header. */
  readonly line: number | null;
  /** Column of the header. */
  readonly column: string | null;

  /** @param at by default no single line, and no single column */
  constructor(
    message: string,
    at: { readonly line?: number | null; readonly column?: string | null; readonly cause?: unknown } = {},
  ) {
    const { line = null, column = null, cause } = at;
    super(message, { cause });
    this.name = "ExportError";
    this.line = line;
    this.column = column;
  }
}
