import { CommanderError } from "commander";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { UsageError } from "./usage-error.ts";

/** The exit codes of certctl and their meaning; `certctl --help` and deploy/operations/certctl.md show this table. */
export const exitCodes = {
  done: { code: 0, meaning: "done, or previewed because --yes was not given" },
  failed: {
    code: 1,
    meaning: "refused or failed, or a negative result, such as none found, not delivered or not valid",
  },
  usage: { code: 2, meaning: "the command line or a value in it is invalid" },
  missingOrUnusable: {
    code: 3,
    meaning: "the store or another object does not exist, or rows of an import are unusable",
  },
  notPermitted: { code: 4, meaning: "the caller is not permitted to run the command" },
  unavailable: { code: 5, meaning: "the registry is unavailable; try again later" },
} as const satisfies Record<string, { readonly code: number; readonly meaning: string }>;

type ExitReason = keyof typeof exitCodes;

const reasons: Readonly<Partial<Record<ErrorCode, ExitReason>>> = {
  bad_request: "usage",
  unauthorized: "notPermitted",
  plan_required: "notPermitted",
  not_found: "missingOrUnusable",
  rate_limited: "unavailable",
  unavailable: "unavailable",
};

/** Returns an error's exit code: 0 for requested help, 2 for an invalid command line, otherwise per `reasons`, or 1. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return exitCodes[error.exitCode === 0 ? "done" : "usage"].code;
  if (error instanceof UsageError) return exitCodes.usage.code;
  return exitCodes[(error instanceof ServiceError && reasons[error.code]) || "failed"].code;
}

/** Describes the exit codes, one per line, for certctl's help. */
export function exitCodesHelp(): string {
  const lines = Object.values(exitCodes).map(({ code, meaning }) => `  ${code}  ${meaning}`);
  return ["", "Exit codes:", ...lines].join("\n");
}
