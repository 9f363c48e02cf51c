import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { createPageStore, eventsOf, sharedPagesRig } from "../harness/pages-rig.ts";
import { listAll } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";

const rig = await sharedPagesRig();
const { registry } = rig;
const statusOf = async (url: string) => (await fetch(url)).status;

test("replaces a leaked link: the old link gets 404 like an unknown one, and the list shows the new link", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId, url } = await rig.issue(storeId);
  const other = await rig.issue(storeId);
  const [before] = await listAll(registry, storeId);
  expect(await statusOf(url)).toBe(200);
  const { certificate } = await registry.links.replaceLink({ certificateId }, inStore(storeId));
  const after = (await listAll(registry, storeId)).at(-1);
  expect(certificate).toEqual(after);
  expect(after).toEqual({ ...before, updatedAt: after?.updatedAt, verifyUrl: after?.verifyUrl });
  expect(after?.verifyUrl).toMatch(/\/verify\/[0-9a-z]{26}\?lang=en$/);
  expect(after?.updatedAt.localeCompare(before?.updatedAt ?? "")).toBe(1);
  expect(await statusOf(after?.verifyUrl ?? "")).toBe(200);
  // The edge caches a page for a second.
  await eventually(async () => expect(await statusOf(url)).toBe(404));
  expect((await fetch(url)).statusText).toBe((await fetch(`${rig.verifyUrl}/${"0".repeat(26)}`)).statusText);
  expect(await statusOf(other.url)).toBe(200);
});

test("publishes no event when a link is replaced, and records the change only in the certificate's history", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const { outbox } = registry.database.collections;
  const waiting = await outbox.countDocuments({ store: storeId });
  await registry.links.replaceLink({ certificateId }, { headers: { "x-actor": "ada", ...inStore(storeId).headers } });
  expect(await outbox.countDocuments({ store: storeId })).toBe(waiting);
  const [listed] = await listAll(registry, storeId);
  const { entries } = await registry.inspection.getHistory({ certificateId }, inStore(storeId));
  expect(entries.map(({ type, change, eventId }) => [type, change, eventId !== ""])).toEqual([
    [EventType.ISSUED, "", true],
    [EventType.UNSPECIFIED, "link_replaced", false],
  ]);
  expect(entries[1]).toMatchObject({ actor: "ada", cause: "in_app" });
  const at = Number(entries[1]?.occurredAt?.seconds) * 1_000 + (entries[1]?.occurredAt?.nanos ?? 0) / 1e6;
  expect(new Date(at).toISOString()).toBe(listed?.updatedAt);
  const { history } = registry.database.collections;
  const change = await history.findOne({ certificate: certificateId, change: "link_replaced" });
  expect(
    await refusalOf(registry.deliveries.redeliverEvent({ eventId: change?._id ?? "" }, inStore(storeId))),
  ).toMatchObject({
    code: "not_found",
  });
});

test("an event that waits while the link is replaced still shows the certificate right after its change, with the old link", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const [issued] = await listAll(registry, storeId);
  await registry.links.replaceLink({ certificateId }, inStore(storeId));
  const [replaced] = await listAll(registry, storeId);
  expect(replaced?.verifyUrl).not.toBe(issued?.verifyUrl);
  const waiting = await waitingEvents(registry.database, storeId);
  expect(waiting.map(({ type, certificate }) => [type, certificate])).toEqual([["ISSUED", issued]]);
});

test("keeps the order of the feed when links are replaced during other changes to the store", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const links = Array.from({ length: 10 }, () => registry.links.replaceLink({ certificateId }, inStore(storeId)));
  await Promise.all([...links, ...Array.from({ length: 10 }, () => rig.issue(storeId))]);
  const listed = await listAll(registry, storeId);
  const times = listed.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual([...new Set(times)].toSorted());
  expect(listed).toHaveLength(11);
});

test("replaces links of revoked certificates, and records no second verification", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId, linkToken } = await rig.issue(storeId);
  await registry.verification.recordVerification({ linkToken });
  await registry.lifecycle.revokeCertificate({ certificateId, cause: RevocationCause.IN_APP }, inStore(storeId));
  await registry.links.replaceLink({ certificateId }, inStore(storeId));
  const document = await registry.database.collections.certificates.findOne({ _id: certificateId });
  const opened = await registry.verification.recordVerification({ linkToken: document?.linkToken ?? "" });
  expect(opened.isFirst).toBe(false);
  expect((await eventsOf(rig, certificateId)).filter((type) => type === EventType.VERIFIED)).toHaveLength(1);
});

test("repeats the first response for the same idempotency key, refuses the key for another certificate, and refuses another store's certificate", async () => {
  const storeId = await createPageStore(rig);
  const { certificateId } = await rig.issue(storeId);
  const request = { storeId, certificateId, idempotencyKey: "new-link-1" };
  const first = await registry.links.replaceLink(request, inStore(request.storeId));
  expect(await registry.links.replaceLink(request, inStore(request.storeId))).toEqual(first);
  const other = await rig.issue(storeId);
  const reused = registry.links.replaceLink(
    { ...request, certificateId: other.certificateId },
    inStore(request.storeId),
  );
  expect(await refusalOf(reused)).toMatchObject({ code: "conflict", field: "idempotency_key" });
  const stranger = await createPageStore(rig);
  const refused = registry.links.replaceLink({ certificateId }, inStore(stranger));
  expect(await refusalOf(refused)).toMatchObject({ code: "not_found", field: "certificate_id" });
});
