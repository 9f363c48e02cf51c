import { type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { IssueCertificatesResponseSchema, IssueOutcome, IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import {
  LifecycleService,
  ReactivateCertificateResponseSchema,
  RevocationCause,
  RevokeCertificateResponseSchema,
  TransferCertificateResponseSchema,
} from "#gen/registry/v1/lifecycle_service_pb.js";
import { ReportProblemResponseSchema, VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { issueItem, issueOne, orderItems } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { database, lifecycle } = registry;

interface Target {
  readonly storeId: string;
  readonly certificateId: string;
  /** Id of another certificate of the store, in the same state as the first. */
  readonly otherId: string;
}

/** Calls a method with an idempotency key. @param isOther whether to vary the content @returns the encoded response */
type Call = (by: TestRegistry, target: Target, idempotencyKey: string, isOther?: boolean) => Promise<Buffer>;

async function bytesOf<D extends DescMessage>(schema: D, reply: Promise<MessageShape<D>>): Promise<Buffer> {
  return Buffer.from(toBinary(schema, await reply));
}

const items = (isOther: boolean) => [issueItem({ product: { title: isOther ? "B" : "A" } }), issueItem()];

const calls = {
  revokeCertificate: (by, { storeId, certificateId }, idempotencyKey, isOther = false) =>
    bytesOf(
      RevokeCertificateResponseSchema,
      by.lifecycle.revokeCertificate({
        storeId,
        certificateId,
        idempotencyKey,
        cause: isOther ? RevocationCause.IN_APP : RevocationCause.REFUND,
      }),
    ),
  reactivateCertificate: (by, { storeId, certificateId, otherId }, idempotencyKey, isOther = false) =>
    bytesOf(
      ReactivateCertificateResponseSchema,
      // The certificate is the only content of this request that can vary.
      by.lifecycle.reactivateCertificate({
        storeId,
        certificateId: isOther ? otherId : certificateId,
        idempotencyKey,
      }),
    ),
  transferCertificate: (by, { storeId, certificateId }, idempotencyKey, isOther = false) =>
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
  reportProblem: (by, { certificateId }, idempotencyKey, isOther = false) =>
    bytesOf(
      ReportProblemResponseSchema,
      by.verification.reportProblem({
        certificateId,
        idempotencyKey,
        content: isOther ? "It is torn." : "It is fake.",
      }),
    ),
  issueCertificates: (by, { storeId }, idempotencyKey, isOther = false) =>
    bytesOf(
      IssueCertificatesResponseSchema,
      by.issuing.issueCertificates({ storeId, idempotencyKey, items: items(isOther) }),
    ),
} satisfies Record<string, Call>;

type Method = keyof typeof calls;
const methods = Object.keys(calls) as Method[];
const eventCountOf = (method: Method) => (method === "issueCertificates" ? 2 : 1);

/** Creates a store with two certificates that the method accepts. */
async function targetFor(method: Method): Promise<Target> {
  const storeId = await createTestStore(registry);
  const [certificateId, otherId] = [await issueOne(registry, storeId), await issueOne(registry, storeId)];
  if (method === "reactivateCertificate")
    for (const id of [certificateId, otherId])
      await lifecycle.revokeCertificate({ storeId, certificateId: id, cause: RevocationCause.IN_APP });
  return { storeId, certificateId, otherId };
}

// For imports, see resumed-imports.test.ts. For manual sends, see redeliveries-and-test-messages.test.ts.
test("the tests cover every unary method of the lifecycle, verification and issuing services that has an idempotency key", () => {
  const described = [LifecycleService, VerificationService, IssuingService].flatMap((service) =>
    service.methods.filter(
      ({ input, methodKind }) => methodKind === "unary" && input.fields.some(({ name }) => name === "idempotency_key"),
    ),
  );
  expect(described.map(({ localName }) => localName).toSorted()).toEqual(methods.toSorted());
});

describe.each(methods)("%s with an idempotency key", (method) => {
  const call: Call = calls[method];
  let target: Target;

  beforeEach(async () => {
    target = await targetFor(method);
  });

  test("returns the first response and writes nothing when repeated on any registry", async () => {
    const first = await call(registry, target, "a");
    const before = await database.contents();
    for (const by of [registry, replica, registry]) expect((await call(by, target, "a")).equals(first)).toBe(true);
    expect(await database.contents()).toEqual(before);
  });

  test("takes effect only once for 20 concurrent requests to two registries, and returns the same response to each", async () => {
    const eventsBefore = (await waitingEvents(database, target.storeId)).length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call(index % 2 ? registry : replica, target, "a")),
    );
    expect(new Set(answers.map((answer) => answer.toString("hex"))).size).toBe(1);
    const events = (await waitingEvents(database, target.storeId)).slice(eventsBefore);
    expect(events).toHaveLength(eventCountOf(method));
    const changed = events.map(({ certificateId }) => certificateId);
    const listed = (await listAll(registry, target.storeId)).filter(({ id }) => changed.includes(id));
    expect(listed).toEqual(events.map(({ certificate }) => certificate));
    const reports = await database.collections.reports.countDocuments({ store: target.storeId });
    expect(reports).toBe(method === "reportProblem" ? 1 : 0);
  });

  test("is refused with `conflict` and writes nothing if the key was used with different content", async () => {
    await call(registry, target, "a");
    const before = await database.contents();
    expect(await refusalOf(call(replica, target, "a", true))).toEqual({
      code: "conflict",
      field: "idempotency_key",
      message: "idempotency_key was already used for a different request",
    });
    expect(await database.contents()).toEqual(before);
  });

  test("is refused with `conflict` if the key was used for another method", async () => {
    const other = method === "reportProblem" ? "issueCertificates" : "reportProblem";
    await calls[other](registry, target, "a");
    expect((await refusalOf(call(registry, target, "a"))).code).toBe("conflict");
    await call(registry, target, "b");
  });

  test("is independent of requests with the same key in another store", async () => {
    const elsewhere = await targetFor(method);
    const first = await call(registry, target, "a");
    const second = await call(registry, elsewhere, "a");
    expect(second.equals(first)).toBe(false);
    expect((await call(registry, target, "a")).equals(first)).toBe(true);
  });
});

test("returns the first response to a repeated request even after later changes to the certificate", async () => {
  const target = await targetFor("revokeCertificate");
  const { storeId, certificateId } = target;
  const first = await calls.revokeCertificate(registry, target, "a");
  await lifecycle.reactivateCertificate({ storeId, certificateId });
  await calls.transferCertificate(registry, target, "b");
  expect((await calls.revokeCertificate(registry, target, "a")).equals(first)).toBe(true);
  expect(await listOne(registry, storeId)).toMatchObject({ status: "active", owner: { name: "Grace" } });
});

test("treats each request without an idempotency key as new", async () => {
  const target = await targetFor("reportProblem");
  for (let call = 0; call < 3; call++) await calls.reportProblem(registry, target, "");
  const { reports, requests } = database.collections;
  expect(await reports.countDocuments({ store: target.storeId })).toBe(3);
  expect(await requests.countDocuments({ _id: { $regex: `^${target.storeId}/` } })).toBe(0);
});

test("does not consume the idempotency key of a refused request", async () => {
  const target = await targetFor("revokeCertificate");
  expect((await refusalOf(calls.reactivateCertificate(registry, target, "a"))).code).toBe("failed_precondition");
  await calls.revokeCertificate(registry, target, "");
  await calls.reactivateCertificate(registry, target, "a");
  expect((await listOne(registry, target.storeId)).status).toBe("active");
});

test("returns the same results, including invalid items, when IssueCertificates is repeated with the same idempotency key", async () => {
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

test("does not consume the idempotency key of a dry run", async () => {
  const storeId = await createTestStore(registry);
  const request = { storeId, items: [issueItem()], idempotencyKey: "a" };
  await registry.issuing.issueCertificates({ ...request, dryRun: true });
  const { results } = await registry.issuing.issueCertificates(request);
  expect(results[0]?.serial).toBe("000001");
});
