import { expect, test } from "vitest";
import { classifyAudit } from "./verdict.ts";

/** Builds an audit report in the JSON format of npm 7 and later. */
const report = (...severities: string[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      severities.map((severity, index) => [`package-${index}`, { severity, isDirect: false, via: [] }]),
    ),
    metadata: { vulnerabilities: { total: severities.length } },
  });

test.each(["high", "critical"])("fails for a vulnerability of severity %s and names the package", (severity) => {
  const { passed, text } = classifyAudit(report("low", severity));
  expect(passed).toBe(false);
  expect(text).toContain(`package-1 (${severity})`);
  expect(text).not.toContain("package-0");
});

test.each([
  [[], 0],
  [["moderate", "low", "info"], 3],
])("passes for severities %j and reports %i less severe vulnerabilities", (severities, count) => {
  const text = expect.stringContaining(` ${count} less severe`);
  expect(classifyAudit(report(...severities))).toMatchObject({ passed: true, text });
});

test.each([
  [
    "refuses the request",
    JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405, error: { summary: "" } }),
  ],
  ["is unreachable", JSON.stringify({ error: { code: "ENOTFOUND" } })],
  ["returns nothing", ""],
])("reports a skipped audit when the package registry %s", (_how, output) => {
  const { passed, text } = classifyAudit(output);
  expect(passed).toBe(true);
  expect(text).toContain("SKIPPED");
  expect(text).not.toContain("no severe");
});
