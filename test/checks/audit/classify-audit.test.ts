import { expect, test } from "vitest";
import { classifyAudit } from "./classify-audit.ts";

/** As npm 7 and later print it. */
const report = (...severities: string[]) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      severities.map((severity, index) => [`package-${index}`, { severity, isDirect: false, via: [] }]),
    ),
    metadata: { vulnerabilities: { total: severities.length } },
  });

test.each(["high", "critical"])(
  "a vulnerability of severity %s fails, and its package is named",
  (severity) => {
    const { isGood, words } = classifyAudit(report("low", severity));
    expect(isGood).toBe(false);
    expect(words).toContain(`package-1 (${severity})`);
    expect(words).not.toContain("package-0");
  },
);

test("lesser ones are counted", () => {
  expect(classifyAudit(report())).toMatchObject({
    isGood: true,
    words: expect.stringContaining(" 0 lesser"),
  });
  expect(classifyAudit(report("moderate", "low", "info"))).toMatchObject({
    isGood: true,
    words: expect.stringContaining(" 3 lesser"),
  });
});

test.each([
  ["refuses", JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405, error: { summary: "" } })],
  ["cannot be reached", JSON.stringify({ error: { code: "ENOTFOUND" } })],
  ["says nothing", ""],
])(
  "where the registry of packages %s, the audit was skipped, and nobody is told that all is well",
  (_how, output) => {
    const { isGood, words } = classifyAudit(output);
    expect(isGood).toBe(true);
    expect(words).toContain("SKIPPED");
    expect(words).not.toContain("nothing severe");
  },
);
