import { expect, test } from "vitest";
import type { CertificateVersion, StoredPage } from "./certificate-version.ts";
import { type ClientResult, type Evidence, evaluate } from "./verdict.ts";

const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;

function version(id: string, second: number, changes: Partial<CertificateVersion> = {}): CertificateVersion {
  return { id, updatedAt: at(second), status: "active", owner: "ada@example.test", ...changes };
}

const expected = {
  stores: new Map([["s", new Map([version("a", 3), version("b", 2, { status: "revoked" })].map((v) => [v.id, v]))]]),
  changedAt: new Map([["s", [at(1), at(2), at(3)]]]),
};
const none = new Map();
const fullCopy = [version("a", 3), version("b", 2, { status: "revoked" })];

function pageOf(times: readonly string[]): StoredPage {
  return { requestedAt: at(4), receivedAt: at(5), times };
}

function evaluateCopy(
  versions: readonly CertificateVersion[],
  changes: Partial<ClientResult> = {},
  acknowledged: Evidence["acknowledged"] = none,
) {
  const copy = new Map(versions.map((known) => [known.id, known]));
  const pages = [pageOf(versions.map(({ updatedAt }) => updatedAt))];
  const client = {
    name: "c",
    storeId: "s",
    filter: {},
    copy,
    pages,
    outOfOrder: 0,
    isCaughtUp: true,
    newest: at(3),
    ...changes,
  };
  return evaluate({ expected, clients: [client], acknowledged });
}

const flawless = { missed: 0, outOfOrder: 0, doubled: 0, phantom: 0, findings: [] };

test("accepts a copy that equals the expected state", () => {
  expect(evaluateCopy(fullCopy)).toEqual(flawless);
});

test("counts missing certificates and stale certificates as missed", () => {
  const verdict = evaluateCopy([version("a", 1)]);
  expect(verdict).toMatchObject({ missed: 2, phantom: 0 });
  expect(verdict.findings[0]).toContain("c missed a 2026-05-01T10:00:03.000Z");
});

test("if a client did not catch up, ignores changes later than the newest change that the client has read", () => {
  const behind = { isCaughtUp: false, newest: at(2) };
  expect(evaluateCopy([version("b", 2, { status: "revoked" })], behind)).toEqual(flawless);
  expect(evaluateCopy([], behind)).toMatchObject({ missed: 1 });
  expect(evaluateCopy([], { isCaughtUp: false, newest: undefined })).toEqual(flawless);
});

test("reports the first page that contains a change later than the missed one, and the changes around it", () => {
  const confirmed = [{ certificateId: "b", updatedAt: at(2), confirmedAt: at(3) }];
  const { findings } = evaluateCopy([version("a", 3)], {}, new Map([["s", confirmed]]));
  const [finding = ""] = findings;
  expect(finding).toContain("first later page: requested 2026-05-01T10:00:04.000Z");
  expect(finding).toContain(`confirmed to its writer: ${at(3)}; the store's changes: ${at(2)}`);
});

test.each<[string, CertificateVersion]>([
  ["a certificate that does not exist", version("z", 1)],
  ["a state newer than the expected one", version("a", 4)],
  ["different content at the same time", version("a", 3, { owner: "bob@example.test" })],
])("counts %s as a phantom", (_, phantom) => {
  expect(evaluateCopy([...fullCopy, phantom])).toMatchObject({ missed: 0, phantom: 1 });
});

test("requires the latest state of certificates that match the filter, and permits older states of others", () => {
  const earlier = version("b", 1);
  const bob = { filter: { email: "bob@example.test" } };
  expect(evaluateCopy([version("a", 3), earlier], { filter: { status: "active" } })).toEqual(flawless);
  const revoked = { filter: { status: "revoked" } };
  expect(evaluateCopy([version("a", 3), earlier], revoked)).toMatchObject({ missed: 1 });
  expect(evaluateCopy([], { filter: { email: "ADA@example.test" } })).toMatchObject({ missed: 2 });
  expect(evaluateCopy([], bob)).toEqual(flawless);
});

test("reports how many certificates a client received out of order", () => {
  expect(evaluateCopy(fullCopy, { outOfOrder: 2 })).toEqual({ ...flawless, outOfOrder: 2 });
});

test("counts equal change times within a store as doubled, but not across stores", () => {
  const changedAt = new Map([
    ["s", [at(1), at(1), at(2), at(1)]],
    ["t", [at(1)]],
  ]);
  const verdict = evaluate({ expected: { stores: new Map(), changedAt }, clients: [], acknowledged: none });
  expect(verdict).toEqual({ ...flawless, doubled: 2 });
});

test("counts a received change time as a phantom when no change was made at that time", () => {
  expect(evaluateCopy(fullCopy, { pages: [pageOf([at(1)]), pageOf([at(2), at(3)])] })).toEqual(flawless);
  expect(evaluateCopy(fullCopy, { pages: [pageOf([at(0), at(3)])] })).toMatchObject({ phantom: 1 });
});

test.each([
  ["of a missing certificate", { certificateId: "z" }],
  ["at a time without a change", { certificateId: "a", updatedAt: at(4) }],
])("counts an acknowledged change %s as a phantom", (_, change) => {
  const acknowledged = new Map([["s", [{ ...change, confirmedAt: at(5) }]]]);
  expect(evaluate({ expected, clients: [], acknowledged })).toMatchObject({ phantom: 1, missed: 0 });
});

test("accepts acknowledged changes that are in the database", () => {
  const confirmedAt = at(5);
  const changes = [
    { certificateId: "a", updatedAt: at(1), confirmedAt },
    { certificateId: "b", confirmedAt },
  ];
  expect(evaluate({ expected, clients: [], acknowledged: new Map([["s", changes]]) })).toEqual(flawless);
});
