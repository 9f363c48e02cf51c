import { admissionCases } from "./admission-cases.ts";
import { clockCases } from "./clock-cases.ts";
import type { ContractCase } from "./contract-case.ts";
import { expressionCases } from "./expression-cases.ts";
import { indexCases } from "./index-cases.ts";
import { readCases } from "./read-cases.ts";
import { triggerCases } from "./trigger-cases.ts";
import { writeCases } from "./write-cases.ts";

/**
 * The behavior of MongoDB that the registry relies on, examined with the registry's own pipelines, indexes, options and
 * error classes. `npm start` examines a stand-in before it first uses it, so these cases take seconds on the slowest
 * server; the checks of `npm run check:database` take longer.
 */
export const databaseContract: readonly ContractCase[] = [
  ...expressionCases,
  ...admissionCases,
  ...clockCases,
  ...readCases,
  ...writeCases,
  ...indexCases,
  ...triggerCases,
];
