import { toBinary } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { IssueCertificatesResponseSchema, IssueOutcome, IssuingService } from "#gen/registry/v1/issuing_service_pb.js";
import { LifecycleService } from "#gen/registry/v1/lifecycle_service_pb.js";
import { VerificationService } from "#gen/registry/v1/verification_service_pb.js";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem, issueOne, orderItems } from "../harness/issue-items.ts";
import { caseEntries, lifecycleCases, wayOut } from "../harness/lifecycle-cases.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listAll, listOne } from "../harness/public-certificate.ts";
import { refusalOf } from "../harness/refusal-of.ts";
import { openTestRegistry, type TestRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });
const { database } = registry;

interface Target {
  readonly storeId: string;
  readonly certificateId: string;
  /** Id of another certificate of the store, in the same state as the first. */
  readonly otherId: string;
}

/** Calls a method with an idempotency key. @param isOther whether to vary the content @returns the encoded response */
type Call = (by: TestRegistry, target: Target, idempotencyKey: string, isOther?: boolean) => Promise<Buffer>;

const items = (isOther: boolean) => [issueItem({ product: { title: isOther ? "B" : "A" } }), issueItem()];

const issueCertificates: Call = async (by, { storeId }, idempotencyKey, isOther = false) => {
  const response = await by.issuing.issueCertificates({ idempotencyKey, items: items(isOther) }, inStore(storeId));
  return Buffer.from(toBinary(IssueCertificatesResponseSchema, response));
};

const calls = new Map<string, Call>([
  ["issueCertificates", issueCertificates],
  ...caseEntries
    .filter(([, { hasIdempotencyKey }]) => hasIdempotencyKey)
    .map(([, one]): [string, Call] => [
      one.method.localName,
      async (by, { storeId, certificateId, otherId }, idempotencyKey, isOther = false) => {
        // The certificate of a request without other content is all that can vary.
        const id = isOther && one.contents.length === 1 ? otherId : certificateId;
        const call = { storeId, certificateId: id, idempotencyKey, content: isOther ? 1 : 0 };
        return (await one.send(by, call)).bytes;
      },
    ]),
]);
const methods = [...calls.keys()];
const reportProblem: Call = async (by, target, idempotencyKey) =>
  (
    await lifecycleCases.report.send(by, {
      storeId: target.storeId,
      certificateId: target.certificateId,
      idempotencyKey,
    })
  ).bytes;
const eventCountOf = (method: string) => (method === "issueCertificates" ? 2 : 1);

/** Creates a store with two certificates that the method accepts. */
async function targetFor(method: string): Promise<Target> {
  const storeId = await createTestStore(registry);
  const [certificateId, otherId] = [await issueOne(registry, storeId), await issueOne(registry, storeId)];
  const [, operation] = caseEntries.find(([, one]) => one.method.localName === method) ?? [];
  const before = operation && typeof operation.effects.active !== "string" && wayOut("active", operation);
  if (before)
    for (const id of [certificateId, otherId])
      await lifecycleCases[before].send(registry, { storeId, certificateId: id });
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

describe.each([...calls])("%s with an idempotency key", (method, call) => {
  let target: Target;

  beforeEach(async () => {
    target = await targetFor(method);
  });

  test("returns the first response and writes nothing when repeated on any registry", async () => {
    const first = await call(registry, target, "a");
    await expectNothingChanged(database, async () => {
      for (const by of [registry, replica, registry]) expect((await call(by, target, "a")).equals(first)).toBe(true);
    });
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
    await expectNothingChanged(database, async () => {
      expect(await refusalOf(call(replica, target, "a", true))).toEqual({
        code: "conflict",
        field: "idempotency_key",
        message: "The idempotency key was already used for a different request. Use a new key.",
      });
    });
  });

  test("is refused with `conflict` if the key was used for another method", async () => {
    const otherCall = method === "issueCertificates" ? reportProblem : issueCertificates;
    await otherCall(registry, target, "a");
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

const { revoke, reactivate, transfer, report } = lifecycleCases;

test("returns the first response to a repeated request even after later changes to the certificate", async () => {
  const { storeId, certificateId } = await targetFor("revokeCertificate");
  const first = await revoke.send(registry, { storeId, certificateId, idempotencyKey: "a" });
  await reactivate.send(registry, { storeId, certificateId });
  await transfer.send(registry, { storeId, certificateId, idempotencyKey: "b" });
  const repeated = await revoke.send(registry, { storeId, certificateId, idempotencyKey: "a" });
  expect(repeated.bytes.equals(first.bytes)).toBe(true);
  expect(await listOne(registry, storeId)).toMatchObject({ status: "active", owner: { name: "Ben Example" } });
});

test("treats each request without an idempotency key as new", async () => {
  const target = await targetFor("reportProblem");
  for (let call = 0; call < 3; call++) await report.send(registry, target);
  const { reports, requests } = database.collections;
  expect(await reports.countDocuments({ store: target.storeId })).toBe(3);
  expect(await requests.countDocuments({ _id: { $regex: `^${target.storeId}/` } })).toBe(0);
});

test("does not consume the idempotency key of a refused request", async () => {
  const { storeId, certificateId } = await targetFor("revokeCertificate");
  const withKey = { storeId, certificateId, idempotencyKey: "a" };
  expect((await refusalOf(reactivate.send(registry, withKey))).code).toBe("failed_precondition");
  await revoke.send(registry, { storeId, certificateId });
  await reactivate.send(registry, withKey);
  expect((await listOne(registry, storeId)).status).toBe("active");
});

test("returns the same results, including invalid items, when IssueCertificates is repeated with the same idempotency key", async () => {
  const storeId = await createTestStore(registry);
  const mixed = [issueItem(), issueItem({ buyer: { email: "nobody" } }), issueItem(), ...orderItems(2)];
  const issue = (by: TestRegistry) =>
    by.issuing.issueCertificates({ items: mixed, idempotencyKey: "import-1" }, inStore(storeId));
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
  await registry.issuing.issueCertificates({ ...request, dryRun: true }, inStore(request.storeId));
  const { results } = await registry.issuing.issueCertificates(request, inStore(request.storeId));
  expect(results[0]?.serial).toBe("000001");
});
