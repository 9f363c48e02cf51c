/**
 * Renders a record of a CSV file (RFC 4180) such that no spreadsheet evaluates a cell: the texts come from buyers and
 * files.
 *
 * @param lineEnding default CRLF, as in the RFC
 */
export function csvRecord(cells: readonly string[], lineEnding = "\r\n"): string {
  return `${cells.map(csvField).join(",")}${lineEnding}`;
}

// A spreadsheet evaluates a field that begins with one of these characters, in their full-width and small forms, too.
// Programs drop white space and quotation marks before it. Where the separator is not a comma, a program splits the
// record at other places and does not recognize its quotation marks, so a field can begin after any separator.
const formulaStarts =
  /(?<=^|[,;|\t\r\n])(?=["\s]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]|(?<!.)[\t\r])/gs;

// Most texts have none of these characters, which costs less to find out.
const formulaCharacters = /[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\t\r]/;

function csvField(text: string): string {
  const safe = formulaCharacters.test(text) ? text.replaceAll(formulaStarts, "'") : text;
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
