import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { expect, test } from "vitest";
import { errorCodes, isErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { buildCertctl } from "../certctl.ts";
import { exitCodeOf, exitCodes, exitCodesHelp } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";

test("each exit code has one meaning", () => {
  const codes = Object.values(exitCodes).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

test("each error code of the registry has an exit code", () => {
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  expect(
    Object.fromEntries(codes.map((code) => [code, exitCodeOf(new ServiceError(code, reason("internal_error")))])),
  ).toEqual({
    bad_request: 2,
    not_found: 3,
    unauthorized: 4,
    plan_required: 4,
    rate_limited: 5,
    unavailable: 5,
    method_not_allowed: 1,
    failed_precondition: 1,
    conflict: 1,
    internal: 1,
  });
});

test("an invalid command line has exit code 2, a request for help 0, and an unexpected error 1", () => {
  expect(exitCodeOf(new CommanderError(1, "commander.unknownOption", "No."))).toBe(2);
  expect(exitCodeOf(new UsageError("No."))).toBe(2);
  expect(exitCodeOf(new CommanderError(0, "commander.helpDisplayed", ""))).toBe(0);
  expect(exitCodeOf(new Error("No."))).toBe(1);
});

test("the help and deploy/operations/certctl.md list all exit codes", async () => {
  let help = "";
  const program = (await buildCertctl()).configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  program.outputHelp();
  expect(help).toContain(exitCodesHelp());
  const operations = readFileSync(new URL("../../../deploy/operations/certctl.md", import.meta.url), "utf8");
  for (const { code, meaning } of Object.values(exitCodes)) expect(operations).toContain(`| ${code} | ${meaning} |`);
});
