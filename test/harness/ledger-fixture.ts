import { systemClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import {
  type IssueResult,
  issueCertificates,
} from "../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../services/registry/certificates/issue-item.ts";
import type { DatabaseTime } from "../../services/registry/mongo/database-time.ts";
import { MongoLedger } from "../../services/registry/mongo/mongo-ledger.ts";
import type { TestDatabase } from "./test-database.ts";

/** Issues certificates as one replica does, but for the database's time, which is the test's. */
export interface TestLedger {
  /** Issues so many certificates by hand, in one change. */
  issue(storeId: string, count?: number): Promise<IssueResult[]>;
}

const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: null,
  expiresAt: null,
};

/** Makes one. @param databaseTime the database's time; default its own */
export function createTestLedger(database: TestDatabase, databaseTime?: DatabaseTime): TestLedger {
  const ledger = new MongoLedger({
    client: database.client,
    collections: database.collections,
    clock: systemClock,
    ...(databaseTime && { databaseTime }),
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: () => undefined,
  });
  const queue = new CommitQueue(ledger);
  const request = { requestId: "", actor: "test", isImport: false };
  return {
    issue: (storeId, count = 1) => issueCertificates(queue, storeId, Array(count).fill(item), request),
  };
}
