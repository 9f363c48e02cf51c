import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { IssueCertificatesResponseSchema, IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import {
  ReactivateCertificateResponseSchema,
  RevocationCause,
  RevokeCertificateResponseSchema,
  TransferCertificateResponseSchema,
} from "#gen/registry/v1/lifecycle_service_pb.js";
import { ReportProblemResponseSchema } from "#gen/registry/v1/verification_service_pb.js";
import { issueItem, issueOne, orderItems } from "../harness/issue-items.ts";
import { lifecycleOperations } from "../harness/lifecycle-operations.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { startTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await startTestRegistry();
afterAll(() => registry.stop());
const replica = await startTestRegistry({ database: registry.database });
afterAll(() => replica.stop());
const { database, lifecycle } = registry;

interface Target {
  readonly storeId: string;
  readonly certificateId: string;
  /** Another certificate of the store, in the same state. */
  readonly otherId: string;
}

/** A call with a request id, and its answer as bytes. `isOther`: the same operation with another content. */
type Call = (by: TestRegistry, target: Target, idempotencyKey: string, isOther?: boolean) => Promise<Buffer>;

async function bytesOf<D extends DescMessage>(schema: D, reply: Promise<MessageShape<D>>): Promise<Buffer> {
  return Buffer.from(toBinary(schema, await reply));
}

const items = (isOther: boolean) => [issueItem({ product: { title: isOther ? "B" : "A" } }), issueItem()];

const calls = {
  revoke: (by, { storeId, certificateId }, idempotencyKey, isOther = false) =>
    bytesOf(
      RevokeCertificateResponseSchema,
      by.lifecycle.revokeCertificate({
        storeId,
        certificateId,
        idempotencyKey,
        cause: isOther ? RevocationCause.IN_APP : RevocationCause.REFUND,
      }),
    ),
  reactivate: (by, { storeId, certificateId, otherId }, idempotencyKey, isOther = false) =>
    bytesOf(
      ReactivateCertificateResponseSchema,
      // What it asks for is the certificate alone.
      by.lifecycle.reactivateCertificate({
        storeId,
        certificateId: isOther ? otherId : certificateId,
        idempotencyKey,
      }),
    ),
  transfer: (by, { storeId, certificateId }, idempotencyKey, isOther = false) =>
    bytesOf(
      TransferCertificateResponseSchema,
      by.lifecycle.transferCertificate({
        storeId,
        certificateId,
        idempotencyKey,
        newOwnerName: isOther ? "Alan" : "Grace",
        newOwnerEmail: "grace@example.test",
      }),
    ),
  report: (by, { certificateId }, idempotencyKey, isOther = false) =>
    bytesOf(
      ReportProblemResponseSchema,
      by.verification.reportProblem({
        certificateId,
        idempotencyKey,
        content: isOther ? "It is torn." : "It is fake.",
      }),
    ),
  issue: (by, { storeId }, idempotencyKey, isOther = false) =>
    bytesOf(
      IssueCertificatesResponseSchema,
      by.issuing.issueCertificates({ storeId, idempotencyKey, items: items(isOther) }),
    ),
} satisfies Record<string, Call>;

type Operation = keyof typeof calls;
const operations = Object.keys(calls) as Operation[];
const eventsOf = (operation: Operation) => (operation === "issue" ? 2 : 1);

/** A store with two certificates that the operation can be done to. */
async function targetFor(operation: Operation): Promise<Target> {
  const storeId = await createTestStore(registry);
  const [certificateId, otherId] = [await issueOne(registry, storeId), await issueOne(registry, storeId)];
  if (operation === "reactivate")
    for (const id of [certificateId, otherId])
      await lifecycle.revokeCertificate({ storeId, certificateId: id, cause: RevocationCause.IN_APP });
  return { storeId, certificateId, otherId };
}

describe.each(operations)("a request id of %s", (operation) => {
  const call: Call = calls[operation];
  let target: Target;

  beforeEach(async () => {
    target = await targetFor(operation);
  });

  test("that is repeated gets the first answer, byte for byte, on every registry, and nothing is written", async () => {
    const first = await call(registry, target, "a");
    const before = await database.contents();
    for (const by of [registry, replica, registry])
      expect((await call(by, target, "a")).equals(first)).toBe(true);
    expect(await database.contents()).toEqual(before);
  });

  test("that comes 20 times at once to two registries makes exactly one change, and all get its answer", async () => {
    const eventsBefore = (await waitingEvents(database, target.storeId)).length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(index % 2 ? registry : replica, target, "a")),
    );
    expect(new Set(answers.map((answer) => answer.toString("hex"))).size).toBe(1);
    const events = (await waitingEvents(database, target.storeId)).slice(eventsBefore);
    expect(events).toHaveLength(eventsOf(operation));
    // What it answered is what the list shows.
    const changed = events.map(({ certificateId }) => certificateId);
    const listed = (await listAll(registry, target.storeId)).filter(({ id }) => changed.includes(id));
    expect(listed).toEqual(events.map(({ certificate }) => certificate));
    const reports = await database.collections.reports.countDocuments({ store: target.storeId });
    expect(reports).toBe(operation === "report" ? 1 : 0);
  });

  test("that is used for another content is a conflict that names idempotency_key, and nothing is written", async () => {
    await call(registry, target, "a");
    const before = await database.contents();
    expect(await refusalOf(call(replica, target, "a", true))).toEqual({
      code: "conflict",
      field: "idempotency_key",
      message: "idempotency_key was already used for a different request",
    });
    expect(await database.contents()).toEqual(before);
  });

  test("that was used for another operation is a conflict", async () => {
    const other = operation === "report" ? "issue" : "report";
    await calls[other](registry, target, "a");
    expect((await refusalOf(call(registry, target, "a"))).code).toBe("conflict");
    await call(registry, target, "b");
  });

  test("of another store is another request", async () => {
    const elsewhere = await targetFor(operation);
    const first = await call(registry, target, "a");
    const second = await call(registry, elsewhere, "a");
    expect(second.equals(first)).toBe(false);
    expect((await call(registry, target, "a")).equals(first)).toBe(true);
  });
});

test("the first answer stays the answer, whatever happened to the certificate since", async () => {
  const target = await targetFor("revoke");
  const { storeId, certificateId } = target;
  const first = await calls.revoke(registry, target, "a");
  await lifecycle.reactivateCertificate({ storeId, certificateId });
  await calls.transfer(registry, target, "b");
  expect((await calls.revoke(registry, target, "a")).equals(first)).toBe(true);
  expect(await listOne(registry, storeId)).toMatchObject({ status: "active", owner: { name: "Grace" } });
});

test("without a request id each call is a request of its own", async () => {
  const target = await targetFor("report");
  for (let call = 0; call < 3; call++) await calls.report(registry, target, "");
  const { reports, requests } = database.collections;
  expect(await reports.countDocuments({ store: target.storeId })).toBe(3);
  expect(await requests.countDocuments({ "_id.store": target.storeId })).toBe(0);
});

test("a refused call does not use its request id up", async () => {
  const target = await targetFor("revoke");
  expect((await refusalOf(calls.reactivate(registry, target, "a"))).code).toBe("failed_precondition");
  await calls.revoke(registry, target, "");
  await calls.reactivate(registry, target, "a");
  expect((await listOne(registry, target.storeId)).status).toBe("active");
});

test("issuing by hand with a repeated request id returns the same certificates and numbers, the bad items with them", async () => {
  const storeId = await createTestStore(registry);
  const mixed = [issueItem(), issueItem({ buyer: { email: "nobody" } }), issueItem(), ...orderItems(2)];
  const issue = (by: TestRegistry) =>
    by.issuing.issueCertificates({ storeId, items: mixed, idempotencyKey: "import-1" });
  const { results: first } = await issue(registry);
  const { ISSUED, INVALID } = IssueOutcome;
  expect(first.map(({ outcome }) => outcome)).toEqual([ISSUED, INVALID, ISSUED, ISSUED, ISSUED]);
  expect((await issue(replica)).results).toEqual(first);
  expect((await listAll(registry, storeId)).map(({ serial }) => serial)).toEqual([
    "000001",
    "000002",
    "000003",
    "000004",
  ]);
});

test("a dry run does not use its request id up", async () => {
  const storeId = await createTestStore(registry);
  const request = { storeId, items: [issueItem()], idempotencyKey: "a" };
  await registry.issuing.issueCertificates({ ...request, dryRun: true });
  const { results } = await registry.issuing.issueCertificates(request);
  expect(results[0]?.serial).toBe("000001");
});

test("every operation of LifecycleService is called with an idempotency key", () => {
  expect(operations).toEqual(expect.arrayContaining([...lifecycleOperations]));
});
