import { beforeEach, expect, test } from "vitest";
import { issueCertificates } from "../../services/registry/certificates/issue-certificates.ts";
import { recordVerification } from "../../services/registry/certificates/record-verification.ts";
import { revokeCertificate } from "../../services/registry/certificates/revoke-certificate.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { issueInNewStore } from "../harness/issue-items.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";

const registry = await openTestRegistry();
const { database } = registry;

const actor = "test";
const item = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order: { id: "450789469", name: "#1001", line: "1", unit: 1 },
  expiresAt: null,
};

/** Issues a certificate, and creates a commit queue on a client that records its commands. */
async function startWatched() {
  const { storeId, certificateId } = await issueInNewStore(registry);
  const { client, commands } = await openWatchedClient(database.uri);
  const { queue } = createTestLedger({ client, collections: collectionsOf(client.db()) });
  return { storeId, certificateId, queue, commands };
}
type Watched = Awaited<ReturnType<typeof startWatched>>;

let watched: Watched;
beforeEach(async () => {
  watched = await startWatched();
});

const inApp = { cause: "in_app", reason: "" } as const;
const calls: Readonly<Record<string, (of: Watched) => Promise<unknown>>> = {
  "the first response to an idempotency key": ({ queue, storeId, certificateId }) =>
    revokeCertificate(queue, { storeId, certificateId, actor, ...inApp, idempotencyKey: "a" }),
  already_issued: ({ queue, storeId }) =>
    issueCertificates(queue, storeId, [item], { idempotencyKey: "", actor, isImport: true }),
  "the page was opened before": ({ queue, storeId, certificateId }) =>
    recordVerification(queue, storeId, certificateId),
  "a refusal": ({ queue, storeId, certificateId }) =>
    revokeCertificate(queue, { storeId, certificateId, actor, ...inApp, idempotencyKey: "" }).catch(() => "refused"),
};

test.each(Object.entries(calls))("commits the transaction of a call that writes nothing: %s", async (_name, call) => {
  await call(watched);
  await expectNothingChanged(database, async () => {
    watched.commands.length = 0;
    await call(watched);
    // The answer comes from the last transaction.
    const ends = watched.commands.filter((name) => name === "commitTransaction" || name === "abortTransaction");
    expect(ends.at(-1)).toBe("commitTransaction");
    // The store's clock does not advance either, so repeated requests use no timestamps.
  });
});
