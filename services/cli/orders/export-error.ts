/** Where in the export an {@link ExportError} was found. */
export interface ExportPlace {
  /** Physical line, 1-based, the header being line 1; null (default) where no line can be named. */
  readonly line?: number | null;
  /** Column of the header; null (default) where the whole row or file is meant. */
  readonly column?: string | null;
}

/**
 * The export as a whole cannot be read, or not any further: no header, a required column missing, text that is not
 * UTF-8, a quotation mark never closed. Rows before `line` have been read well. The message is a sentence for people
 * and names line and column itself.
 */
export class ExportError extends Error {
  /** Physical line, 1-based; null where none can be named. */
  readonly line: number | null;
  /** Column of the header; null where the whole row or file is meant. */
  readonly column: string | null;

  constructor(message: string, place: ExportPlace = {}) {
    super(message);
    this.name = "ExportError";
    this.line = place.line ?? null;
    this.column = place.column ?? null;
  }
}
