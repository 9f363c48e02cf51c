import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { generateApiKey } from "#shared/keys/api-key.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { ListClient } from "../harness/list-client.ts";
import { pathOf } from "../harness/receiver/behaviour.ts";
import { openStack } from "../harness/stack/open-stack.ts";
import { partOf } from "../harness/stack/start-stack.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const stack = await openStack({
  name: "log-contents",
  // Operators may set the most verbose level.
  logLevel: "trace",
  registries: [{}],
  edges: [{}],
  notifiers: [{}],
  receiverSeed: 1,
});

const registry = partOf(stack.registries);
const { url } = partOf(stack.edges);
const logOf = (service: string) => readFile(stack.supervisor.path(`${service}.log`), "utf8");
const newEmail = () => `${randomBytes(6).toString("hex")}@example.test`;

/**
 * Returns pieces of a value, none of which a log may contain: the local part of an e-mail address, or the 8-character
 * pieces that follow the first six characters of any other value.
 */
function piecesOf(value: string): string[] {
  const [local = "", domain] = value.split("@");
  if (domain !== undefined) return [local];
  return Array.from({ length: Math.floor(value.length / 8) - 1 }, (_, index) =>
    value.slice(8 * index + 6, 8 * index + 14),
  );
}

test("no service logs a key, secret, cursor or e-mail address that it processes, in whole or in part", async () => {
  const { storeId, apiKey } = await createKeyedStore(registry);
  const endpoint = `${stack.receiver?.url}${pathOf("refuses", "logs")}`;
  const { secret } = await registry.admin.setWebhook({ url: endpoint, createSecret: true }, inStore(storeId));
  const [buyer, newOwner, reporter, invalid] = [newEmail(), newEmail(), newEmail(), newEmail()];
  const items = [1, 2, 3].map(() => issueItem({ buyer: { email: buyer } }));
  const { results } = await registry.issuing.issueCertificates({ items }, inStore(storeId));
  const certificateId = results[0]?.certificateId ?? "";
  await registry.lifecycle.transferCertificate(
    { certificateId, newOwnerName: "G", newOwnerEmail: newOwner },
    inStore(storeId),
  );
  await registry.verification.reportProblem({ certificateId, content: `From ${reporter}`, reporterEmail: reporter });
  for (const newOwnerEmail of [`${invalid}@x`, ""])
    await expect(
      registry.lifecycle.transferCertificate({ certificateId, newOwnerName: "G", newOwnerEmail }, inStore(storeId)),
    ).rejects.toThrow("new_owner_email");
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.REFUND }, inStore(storeId));

  const client = new ListClient(url, apiKey);
  const { next_cursor: cursor } = await client.page({ email: buyer, limit: "1" });
  const unknownKey = generateApiKey();
  const values = [apiKey, unknownKey, secret, cursor ?? "", buyer, newOwner, reporter, invalid];
  await client.page({ email: buyer, limit: "1", cursor: cursor ?? "" });
  await new ListClient(url, unknownKey).fetch("");
  for (const value of values) {
    await client.fetch(`cursor=${encodeURIComponent(value)}`);
    await client.fetch(`email=${encodeURIComponent(value)}&order=${encodeURIComponent(value)}`);
    await client.fetch(`${encodeURIComponent(value)}=1`);
    for (const path of [value, `v1/certificates/${value}`, value.slice(5), encodeURIComponent(value)])
      await fetch(`${url}/${path}`, { headers: { authorization: value } });
  }
  const requests = 2 + 1 + values.length * 7;

  const logs = await eventually(async () => {
    const [edge, notifier] = [await logOf("edge"), await logOf("notifier")];
    expect(edge.match(/"msg":"request"/g)).toHaveLength(requests);
    expect(notifier.match(/"msg":"webhook attempt"/g)?.length).toBeGreaterThanOrEqual(3);
    return { edge, notifier, registry: await logOf("registry") };
  });
  expect(logs.registry).toContain("TransferCertificate");
  const pieces = values.flatMap(piecesOf);
  expect(pieces.length).toBeGreaterThanOrEqual(2 * values.length);
  for (const [service, log] of Object.entries(logs))
    expect(
      pieces.filter((piece) => log.includes(piece)),
      service,
    ).toEqual([]);
});
