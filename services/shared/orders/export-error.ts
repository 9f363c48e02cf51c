/**
 * A fault at which reading the export stops, such as a missing column, bytes that are not UTF-8, a quotation mark that
 * is never closed, or too many units. All rows before `line` have been read. The message is shown to the user.
 */
export class ExportError extends Error {
  /** Physical line, 1-based, including the header; null if the fault is not in a single line. */
  readonly line: number | null;
  /** The column at fault; null if the fault concerns the whole row or file. */
  readonly column: string | null;

  constructor(
    message: string,
    { line = null, column = null, cause }: Partial<Pick<ExportError, "line" | "column" | "cause">> = {},
  ) {
    super(message, { cause });
    this.name = "ExportError";
    this.line = line;
    this.column = column;
  }
}
