import { z } from "zod";

/** The result of an audit. */
export interface AuditVerdict {
  /** False for a known severe vulnerability; true also when the audit was skipped. */
  readonly passed: boolean;
  /** For people. */
  readonly text: string;
}

const report = z.object({
  auditReportVersion: z.number(),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })),
});
const severe = ["high", "critical"];

/** Classifies an audit. @param output the output of `npm audit --json` */
export function classifyAudit(output: string): AuditVerdict {
  const parsed = report.safeParse(parseJson(output));
  if (!parsed.success) return { passed: true, text: "npm audit SKIPPED: the package registry does not answer audits." };
  const found = Object.entries(parsed.data.vulnerabilities);
  const bad = found.filter(([, { severity }]) => severe.includes(severity));
  if (bad.length === 0) return { passed: true, text: `npm audit: nothing severe, ${found.length} less severe.` };
  const names = bad.map(([name, { severity }]) => `${name} (${severity})`);
  return { passed: false, text: `npm audit: ${names.join(", ")}. Run npm audit for details.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
