const QUOTE = '"';

/**
 * Whether a CSV record (its raw text without its line end) uses quotation marks as RFC 4180, section 2 has
 * it: around a whole cell, doubled inside one, nowhere else. What does not may have been read wrongly.
 */
export function isWellQuoted(record: string): boolean {
  if (!record.includes(QUOTE)) return true;
  let at = 0;
  while (at <= record.length) {
    const cellEnd = record[at] === QUOTE ? endOfQuoted(record, at) : endOfPlain(record, at);
    if (cellEnd === null || (cellEnd < record.length && record[cellEnd] !== ",")) return false;
    at = cellEnd + 1;
  }
  return true;
}

function endOfQuoted(record: string, start: number): number | null {
  let from = start + 1;
  for (;;) {
    const quote = record.indexOf(QUOTE, from);
    if (quote < 0) return null;
    if (record[quote + 1] !== QUOTE) return quote + 1;
    from = quote + 2;
  }
}

function endOfPlain(record: string, start: number): number | null {
  const comma = record.indexOf(",", start);
  const cellEnd = comma < 0 ? record.length : comma;
  const quote = record.indexOf(QUOTE, start);
  return quote < 0 || quote > cellEnd ? cellEnd : null;
}
