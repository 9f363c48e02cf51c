import { databaseContract } from "../../../deploy/local/servers/contract/database-contract.ts";
import { admissionChecks } from "./admission-checks.ts";
import { changeChecks } from "./change-checks.ts";
import type { DatabaseCheck } from "./database-check.ts";
import { deliveryChecks } from "./delivery-checks.ts";
import { indexChecks } from "./index-checks.ts";
import { timeLimitChecks } from "./time-limit-checks.ts";
import { transactionChecks } from "./transaction-checks.ts";

/** The checks of how a server behaves, whatever its configuration: the contract, and those that take longer. */
export const contractChecks: readonly DatabaseCheck[] = [
  ...databaseContract,
  ...indexChecks,
  ...transactionChecks,
  ...timeLimitChecks,
  ...admissionChecks,
  ...changeChecks,
  ...deliveryChecks,
];
