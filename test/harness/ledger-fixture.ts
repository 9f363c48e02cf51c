import { systemClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../services/registry/certificates/issue-item.ts";
import { MongoLedger, type MongoLedgerDeps } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import type { TestDatabase } from "./test-database.ts";

const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: null,
  expiresAt: null,
};

/** Creates a commit queue over a MongoDB ledger, as a registry does. @param deps override the default dependencies */
export function createTestLedger(
  { client, collections }: Pick<TestDatabase, "client" | "collections">,
  deps: Partial<MongoLedgerDeps> = {},
) {
  const ledger = new MongoLedger({
    client,
    collections,
    clock: systemClock,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: () => undefined,
    ...deps,
  });
  const queue = new CommitQueue(ledger);
  const request = { idempotencyKey: "", actor: "test", isImport: false };
  return {
    queue,
    /** Issues `count` certificates in one change; they belong to no order. */
    issue: (storeId: string, count = 1) => issueCertificates(queue, storeId, Array(count).fill(item), request),
  };
}
