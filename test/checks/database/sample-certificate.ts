import { steadyClock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../../services/registry/certificates/commit-queue.ts";
import { issueCertificates } from "../../../services/registry/certificates/issue-certificates.ts";
import type { IssueItem } from "../../../services/registry/certificates/issue-item.ts";
import { MongoLedger } from "../../../services/registry/mongo/certificates/mongo-ledger.ts";
import type { Connection } from "./rig.ts";

const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: null,
  expiresAt: null,
};

/**
 * Issues identical certificates in one call, with the registry's own code.
 *
 * @param writesInOneCommand see MongoLedgerDeps. Default true
 */
export async function issueSamples(
  { client, collections }: Connection,
  storeId: string,
  count: number,
  writesInOneCommand = true,
): Promise<void> {
  const ledger = new MongoLedger({
    client,
    collections,
    clock: steadyClock,
    writesInOneCommand,
    serviceVerifyUrl: "https://verify.example.test/c",
    onEvents: () => undefined,
  });
  const request = { idempotencyKey: "", actor: "check", isImport: false };
  await issueCertificates(new CommitQueue(ledger), storeId, Array<IssueItem>(count).fill(item), request);
}
