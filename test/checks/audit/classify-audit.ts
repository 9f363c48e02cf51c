import { z } from "zod";

/** What an audit means for a change that is to land. */
export interface AuditVerdict {
  /** False when something is known to be wrong; true also when nothing could be known. */
  readonly isGood: boolean;
  /** For people. */
  readonly words: string;
}

const report = z.object({
  auditReportVersion: z.number(),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })),
});
const severe = ["high", "critical"];

/** @param output what `npm audit --json` printed */
export function classifyAudit(output: string): AuditVerdict {
  const parsed = report.safeParse(json(output));
  if (!parsed.success)
    return { isGood: true, words: "npm audit SKIPPED: the registry of packages gives no answer." };
  const found = Object.entries(parsed.data.vulnerabilities);
  const bad = found.filter(([, { severity }]) => severe.includes(severity));
  if (bad.length === 0) return { isGood: true, words: `npm audit: nothing severe, ${found.length} lesser.` };
  const names = bad.map(([name, { severity }]) => `${name} (${severity})`);
  return { isGood: false, words: `npm audit: ${names.join(", ")}. See npm audit.` };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
