/** Renders a record of a CSV file (RFC 4180). */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map(csvField).join(",")}\r\n`;
}

// A spreadsheet would execute a string that begins like a formula, and buyers choose their names.
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
