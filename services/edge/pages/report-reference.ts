import { randomBytes } from "node:crypto";
import { idAlphabet, idText } from "#shared/text/id-alphabet.ts";

const length = 8;

/**
 * Returns the reference number of a problem report, such as `7K3F-9QXM`: the end of its id, so that certctl finds it
 * too. The sender sees it in the confirmation, and the merchant in the list of reports.
 */
export function reportReference(reportId: string): string {
  const end = reportId.slice(-length).toUpperCase();
  return `${end.slice(0, length / 2)}-${end.slice(length / 2)}`;
}

/** Returns the reference number of no report. It looks like that of a report. */
export function inventedReference(): string {
  return reportReference(idText(randomBytes(length)));
}

const character = `[${idAlphabet.toUpperCase()}]`;
const pattern = new RegExp(`^${character}{4}-${character}{4}$`);

export function isReportReference(text: string): boolean {
  return pattern.test(text);
}
