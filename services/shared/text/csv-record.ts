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
const formulaStart = /[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]/;
// Programs drop white space and quotation marks before it. A run of them is matched once, whether or not a formula
// follows: a search that begins again at each of its characters takes seconds for a cell of 100,000 tabs.
const runs = new RegExp(`["\\s]*${formulaStart.source}|["\\s]+`, "g");
// Where the separator is not a comma, a program splits the record at other places and does not recognize its quotation
// marks, so a field can begin after any separator.
const separator = /[,;|\t\r\n]/;

// Most texts have none of these characters, which costs less to find out.
const formulaCharacters = new RegExp(`${formulaStart.source}|[\\t\\r]`);

function csvField(text: string): string {
  const safe = formulaCharacters.test(text) ? withoutFormulas(text) : text;
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withoutFormulas(text: string): string {
  return text.replaceAll(runs, (run, at: number) => {
    const isFormula = formulaStart.test(run);
    const isField = at === 0 ? isFormula || /^[\t\r]/.test(run) : isFormula && separator.test(text.charAt(at - 1));
    return (isField ? "'" : "") + (isFormula ? run.replaceAll(/(?<=[\t\r\n])/g, "'") : run);
  });
}
