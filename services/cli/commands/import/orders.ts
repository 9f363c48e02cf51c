import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type EditionUse, IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { valueName } from "#shared/enums/named-values.ts";
import { ImportStoppedError, importOrders } from "#shared/orders/import-orders.ts";
import { type ImportSummary, type IssueResult, importProblemText } from "#shared/orders/import-tally.ts";
import type { OrderUnitItem } from "#shared/orders/order-unit-row.ts";
import { reason } from "#shared/reasons/reason.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import { defineCommand } from "../../command/command.ts";
import { enumName } from "../../command/enum-names.ts";
import { givenPath } from "../../command/given-path.ts";
import { parseTime } from "../../command/option-values.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { retryWhileUnavailable } from "../../registry-client/retry-while-unavailable.ts";
import { orderWithdrawal, type RepeatedCall } from "./order-withdrawal.ts";
import { createProgress, silentProgress } from "./progress.ts";
import { openRejectsFile } from "./rejects-file.ts";

// Short, so that a wrong address is reported soon.
const firstCallLimitMs = 10_000;
// Long, so that an import survives a restart of the registry.
const batchLimitMs = 120_000;

interface ImportOptions {
  readonly dryRun?: boolean;
  readonly expires?: Timestamp;
  readonly rejects?: string;
  readonly revokeRefunded?: boolean;
}

export const importOrdersCommand = defineCommand<ImportOptions>({
  name: "import orders",
  changes: "store",
  description:
    "issue one certificate for each unit of each paid order line; an interrupted import continues when run again; " +
    "exit code 3 if rows are unusable",
  configure: (command) =>
    command
      .argument("<file.csv>", "order export from the storefront platform")
      .option("--expires <time>", "when the certificates expire (RFC 3339); default: never", parseTime)
      .option(
        "--rejects <file.csv>",
        "write each row that could not be imported completely, with the reason, to this file; correct these rows in " +
          "the order export and import the export again",
      )
      .option(
        "--revoke-refunded",
        "revoke the active certificates of refunded and cancelled orders; default: only report these certificates",
      )
      .option("--dry-run", "show what the import would do, but issue and revoke nothing"),
  async run({ selectStore, output, options, args: [file = ""] }) {
    const { dryRun = false, expires, revokeRefunded = false } = options;
    const expiry = expires && { expiresAt: expires };
    const location = givenPath(file);
    const { size } = await stat(location);
    const rejects = options.rejects === undefined ? undefined : await openRejectsFile(givenPath(options.rejects));
    const progress = output.isJson ? silentProgress(output.note) : createProgress({ bytesTotal: size });
    const onWait = ({ message }: Error) => progress.line(`waiting for the registry: ${message}`);
    let isStarted = false;
    try {
      const store = await retryWhileUnavailable(selectStore, firstCallLimitMs, onWait);
      // If the response to a batch is lost, a retry with the same key returns it again, so the summary counts the
      // certificates as issued. Each run has its own keys, so that a second run reports these certificates as issued
      // before. Even without the keys, the registry would issue only one certificate for each order unit.
      const keyPrefix = `import-${randomUUID()}-`;
      let batchCount = 0;
      const call: RepeatedCall = (work) => retryWhileUnavailable(work, batchLimitMs, onWait);
      const withdrawal = { store, call, keyPrefix, report: (line: string) => progress.line(line) };
      isStarted = true;
      const issueBatch = batchCall(store, dryRun);
      const summary = await importOrders({
        source: createReadStream(location),
        issue: (units) => {
          const items = units.map((unit) => ({ ...unit, ...expiry }));
          const batch = { items, idempotencyKey: `${keyPrefix}${batchCount++}` };
          return call(() => issueBatch(batch));
        },
        withdraw: orderWithdrawal({ ...withdrawal, isRevoking: revokeRefunded && !dryRun }),
        onProgress: (read) => progress.update(read),
        onProblem: (problem) => {
          rejects?.add(problem);
          const { line, column } = problem;
          progress.line(`line ${line}${column === null ? "" : `, ${column}`}: ${importProblemText(problem, "en")}`);
        },
      });
      progress.stop();
      showSummary(output, summary, dryRun);
      if (summary.unusable > 0) process.exitCode = exitCodes.missingOrUnusable.code;
    } catch (error) {
      progress.stop();
      if (error instanceof ImportStoppedError) showSummary(output, error.summary, dryRun);
      throw error;
    } finally {
      // If the import could not start, the rejects file of an earlier import is kept.
      if (rejects !== undefined && isStarted) {
        await rejects.write(createReadStream(location));
        const line = summaryLine("rows rejected", `${rejects.rowCount}, written to ${options.rejects}`);
        output.result({ rejects: { rowCount: rejects.rowCount, file: options.rejects } }, line);
      }
    }
  },
});

interface Batch {
  readonly items: OrderUnitItem[];
  readonly idempotencyKey: string;
}

/** Returns a function that issues one batch. A dry run regards the edition numbers of earlier batches as assigned. */
function batchCall(store: StoreCalls, dryRun: boolean) {
  let editionsUsed: EditionUse[] = [];
  return async (batch: Batch): Promise<IssueResult[]> => {
    const request = { ...batch, dryRun, isImport: true, editionsUsed };
    const response = await store.issuing.issueCertificates(request);
    editionsUsed = response.editionsUsed;
    return response.results.map(({ outcome, field, reason: sent }) => {
      const known = valueName(IssueOutcome, outcome);
      const why = receivedReason(sent);
      if (known !== undefined) return { outcome: known, field, ...(why && { reason: why }) };
      return { outcome: "invalid", reason: why ?? reason("unknown", { code: enumName(IssueOutcome, outcome) }) };
    });
  };
}

function showSummary(output: Output, summary: ImportSummary, dryRun: boolean): void {
  const { found, revoked } = summary.withdrawn;
  const lines = [
    ["rows read", `${summary.rows} in ${summary.orders} orders`],
    [dryRun ? "would be issued" : "issued", summary.issued],
    ["issued before", summary.alreadyIssued],
    ["rows not paid", summary.skipped.notPaid],
    ["rows refunded", summary.skipped.refunded],
    ["rows cancelled", summary.skipped.cancelled],
    ["units sold out", summary.soldOut],
    ["rows unusable", summary.unusable],
    ["to be revoked", found - revoked],
    ["revoked", revoked],
  ] as const;
  const options = dryRun ? "with --revoke-refunded and without --dry-run" : "with --revoke-refunded";
  const remedy = `To revoke the certificates of refunded and cancelled orders, repeat the import ${options}.`;
  output.result(
    { dryRun, ...summary },
    ...(dryRun ? ["dry run: nothing was issued or revoked"] : []),
    ...lines.map(([name, value]) => summaryLine(name, value)),
    ...(found > revoked ? [remedy] : []),
  );
}

function summaryLine(name: string, value: number | string): string {
  return `${name.padEnd(17)}  ${value}`;
}
