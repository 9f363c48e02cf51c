import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { listenHttp } from "#shared/http/operations-server.ts";
import { newCopy, reconcile, saveMessage, statusAt } from "../../deploy/receivers/keep-copy.mjs";
import { isGenuine } from "../../deploy/receivers/verify-signature.mjs";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, orderItems } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { openStack } from "../harness/stack/open-stack.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { createTestStore } from "../harness/test-stores.ts";

const stack = await openStack({
  name: "following-the-guide",
  registries: [{}],
  edges: [{}],
  notifiers: [{}],
});

/**
 * Starts a receiver that follows deploy/receivers/README.md.
 *
 * @param refuses returns whether to refuse a message, given the number of messages received before it
 */
async function startGuideReceiver(refuses: (messageCount: number) => boolean) {
  const copy = newCopy();
  const secrets: string[] = [];
  const count = { received: 0, refused: 0 };
  const { cert, key } = stack.secrets.receiver;
  const server = createServer({ cert: await readFile(cert), key: await readFile(key) }, async (request, response) => {
    const rawBody = Buffer.concat(await request.toArray());
    if (!isGenuine(rawBody, request.headers, secrets)) return void response.writeHead(401).end();
    if (refuses(count.received++)) {
      count.refused++;
      return void response.writeHead(503).end();
    }
    response.writeHead(204).end();
    saveMessage(copy, rawBody);
  });
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${await listenHttp(server, "127.0.0.1", 0)}/`, copy, secrets, count };
}

test("a receiver that follows the guide has an exact copy of the list after each reconciliation, even if it has refused messages", async () => {
  const { admin, issuing, lifecycle, deliveries } = partOf(stack.registries);
  const storeId = await createTestStore({ admin });
  const { apiKey } = await admin.createApiKey({ label: "copy" }, inStore(storeId));
  const edgeUrl = partOf(stack.edges).url;
  const list = new ListClient(edgeUrl, apiKey);
  const { url, copy, secrets, count } = await startGuideReceiver((messageCount) => messageCount % 3 === 1);
  await issuing.issueCertificates({ items: orderItems(3) }, inStore(storeId));
  secrets.push((await admin.setWebhook({ url, createSecret: true }, inStore(storeId))).secret);

  const settled = () => eventually(async () => expect(await stack.collections.outbox.countDocuments()).toBe(0));
  const synchronize = () => reconcile(copy, edgeUrl, apiKey);
  const expectTruth = async () => {
    const now = new Date();
    const copied = [...copy.certificates.values()].map((one) => ({ ...one, status: statusAt(one, now) }));
    copied.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    expect(copied).toEqual(await list.all({ limit: "100" }));
  };

  await synchronize();
  await expectTruth();
  for (let round = 1; round <= 3; round++) {
    const items = Array.from({ length: 7 }, () => issueItem());
    const { results } = await issuing.issueCertificates({ items }, inStore(storeId));
    const [first = "", second = "", third = ""] = results.map(({ certificateId }) => certificateId);
    await lifecycle.transferCertificate(
      {
        certificateId: first,
        newOwnerName: "Bo",
        newOwnerEmail: "bo@example.test",
      },
      inStore(storeId),
    );
    await lifecycle.revokeCertificate({ certificateId: second, cause: RevocationCause.REFUND }, inStore(storeId));
    await lifecycle.reactivateCertificate({ certificateId: second }, inStore(storeId));
    await lifecycle.revokeCertificate({ certificateId: third, cause: RevocationCause.IN_APP }, inStore(storeId));
    await settled();
    const delivery = await stack.collections.deliveries.findOne({ certificate: second });
    await deliveries.redeliverEvent({ eventId: delivery?._id ?? "" }, inStore(storeId));
    await deliveries.sendTestMessage({}, inStore(storeId));
    await settled();
    // The copy lacks the messages that the receiver refused.
    await expect(expectTruth()).rejects.toThrow();
    await synchronize();
    await expectTruth();
  }
  expect(count.refused).toBeGreaterThan(9);

  // An item whose expiry has passed when it arrives is refused; a busy machine needs a later one.
  for (let inSeconds = 2, outcome: IssueOutcome | undefined; outcome !== IssueOutcome.ISSUED; inSeconds *= 2) {
    const seconds = BigInt(Math.ceil(Date.now() / 1_000) + inSeconds);
    const items = [issueItem({ expiresAt: { seconds } })];
    outcome = (await issuing.issueCertificates({ items }, inStore(storeId))).results[0]?.outcome;
  }
  await synchronize();
  await eventually(async () => expect(await list.all({ status: "expired" })).toHaveLength(1), { everyMs: 500 });
  await expectTruth();
});
