import { ServiceError } from "#shared/errors/service-error.ts";
import { defineCommand } from "../../command/command.ts";
import { isUnreachable } from "./check-registry.ts";
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";

const marks = { ok: "ok     ", fault: "FAULT  ", skipped: "skipped" } as const;

export const doctor = defineCommand({
  name: "doctor",
  changes: "nothing",
  // `examine` chooses the target, and reports a failure to do so as a finding.
  isOffline: true,
  description:
    "check certctl's configuration and certificate, the connection, the clocks, and the registry's database, NATS " +
    "and certificates; for each fault, print what to do; exit code 1 if there are faults, 5 if the registry cannot " +
    "be reached",
  async run({ chooseTarget, output }) {
    const findings: Finding[] = [];
    for await (const finding of examine(chooseTarget)) {
      const { part, condition, state, seen, remedy } = finding;
      const document = { part, condition, state, seen, remedy: remedy || null };
      output.result(
        document,
        `${marks[state]} ${part}: ${condition}: ${seen}`,
        ...(remedy ? [`        ${remedy}`] : []),
      );
      findings.push(finding);
    }
    const faults = findings.filter(({ state }) => state === "fault").length;
    if (faults === 0) return;
    const message = faults === 1 ? "1 fault was found." : `${faults} faults were found.`;
    throw isUnreachable(findings) ? new ServiceError("unavailable", message) : new Error(message);
  },
});
