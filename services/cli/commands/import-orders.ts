import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { ImportStoppedError, importOrders } from "../orders/import-orders.ts";
import type { ImportSummary, IssueResult } from "../orders/import-tally.ts";
import type { OrderUnitItem } from "../orders/order-unit-row.ts";
import { createProgress } from "../orders/progress.ts";
import { chooseStore } from "../registry-client/choose-store.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { retryWhileAway } from "../registry-client/retry-while-away.ts";
import { givenPath, print, runs } from "./command.ts";

// A wrong address should be told soon; a registry that restarts in the middle of an import is worth waiting for.
const firstContactMs = 10_000;
const awayMs = 120_000;

/** `certctl import orders <file.csv>` */
export function addImportOrders(parent: Command): void {
  const command = parent
    .command("orders")
    .description("issue one certificate per unit of each paid line of an order export")
    .argument("<file.csv>", "order export of the storefront platform")
    .option("--dry-run", "show what would happen; nothing is written", false);
  runs<{ dryRun: boolean }>(command, async (client, { store, dryRun }, [file = ""]) => {
    const location = givenPath(file);
    const { size } = await stat(location);
    const progress = createProgress({ bytesTotal: size });
    const patiently = <T>(call: () => Promise<T>, timeLimitMs: number) =>
      retryWhileAway(call, {
        clock: systemClock,
        onWait: ({ message }) => progress.line(`waiting: ${message}`),
        timeLimitMs,
      });
    try {
      const storeId = await patiently(() => chooseStore(client, store), firstContactMs);
      const summary = await importOrders({
        source: createReadStream(location),
        issue: (items) => patiently(() => issue(client, storeId, items, dryRun), awayMs),
        onProgress: (read) => progress.update(read),
        onProblem: ({ line, column, message }) =>
          progress.line(`line ${line}${column === null ? "" : `, ${column}`}: ${message}`),
      });
      progress.stop();
      printSummary(summary, dryRun);
    } catch (error) {
      progress.stop();
      if (error instanceof ImportStoppedError) printSummary(error.summary, dryRun);
      throw error;
    }
  });
}

const outcomes: Readonly<Partial<Record<IssueOutcome, IssueResult["outcome"]>>> = {
  [IssueOutcome.ISSUED]: "issued",
  [IssueOutcome.ALREADY_ISSUED]: "alreadyIssued",
  [IssueOutcome.SOLD_OUT]: "soldOut",
};

async function issue(
  client: RegistryClient,
  storeId: string,
  items: readonly OrderUnitItem[],
  dryRun: boolean,
): Promise<IssueResult[]> {
  const { results } = await client.issuing.issueCertificates({
    storeId,
    items: [...items],
    dryRun,
    isImport: true,
  });
  return results.map(({ outcome, field, message }) => ({
    outcome: outcomes[outcome] ?? "invalid",
    field,
    message,
  }));
}

function printSummary(summary: ImportSummary, dryRun: boolean): void {
  if (dryRun) print("dry run: nothing was written");
  print(`rows read          ${summary.rows} in ${summary.orders} orders`);
  print(`${dryRun ? "would be issued    " : "issued             "}${summary.issued}`);
  print(`issued before      ${summary.alreadyIssued}`);
  print(`rows not paid      ${summary.skipped.notPaid}`);
  print(`rows cancelled     ${summary.skipped.cancelled}`);
  print(`units sold out     ${summary.soldOut}`);
  print(`rows not usable    ${summary.unusable}`);
}
