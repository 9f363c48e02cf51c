import { z } from "zod";

const report = z.object({
  auditReportVersion: z.number(),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })),
});
const severe = ["high", "critical"];

/**
 * Classifies the output of `npm audit --json`. Output that is not an audit report counts as a skipped audit, which
 * passes.
 */
export function classifyAudit(output: string): { readonly passed: boolean; readonly text: string } {
  const parsed = report.safeParse(parseJson(output));
  if (!parsed.success)
    return { passed: true, text: "npm audit SKIPPED: the package registry did not return an audit report." };
  const found = Object.entries(parsed.data.vulnerabilities);
  const bad = found.filter(([, { severity }]) => severe.includes(severity));
  if (bad.length === 0)
    return { passed: true, text: `npm audit: no severe vulnerabilities, ${found.length} less severe.` };
  const names = bad.map(([name, { severity }]) => `${name} (${severity})`);
  return {
    passed: false,
    text: `npm audit: severe vulnerabilities in ${names.join(", ")}. Run npm audit for details.`,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
