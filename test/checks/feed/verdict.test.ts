import { expect, test } from "vitest";
import { type CheckedClient, judge } from "./verdict.ts";
import type { StoredPage, Version } from "./version.ts";

const at = (second: number) => `2026-05-01T10:00:0${second}.000Z`;

function version(id: string, second: number, changes: Partial<Version> = {}): Version {
  return { id, updatedAt: at(second), status: "active", owner: "ada@example.test", ...changes };
}

const truth = {
  stores: new Map([
    ["s", new Map([version("a", 3), version("b", 2, { status: "revoked" })].map((v) => [v.id, v]))],
  ]),
  changedAt: new Map([["s", [at(1), at(2), at(3)]]]),
};

function pageOf(times: readonly string[]): StoredPage {
  return { askedAt: at(4), answeredAt: at(5), times };
}

function judgeCopy(copy: readonly Version[], client: Partial<CheckedClient> = {}) {
  const versions = new Map(copy.map((known) => [known.id, known]));
  const pages = [pageOf(copy.map(({ updatedAt }) => updatedAt))];
  const checked = { name: "c", storeId: "s", filter: {}, copy: versions, pages, outOfOrder: 0, ...client };
  return judge({ truth, clients: [checked], told: new Map() });
}

const flawless = { missed: 0, outOfOrder: 0, doubled: 0, phantom: 0, findings: [] };

test("a copy that equals the truth is flawless", () => {
  expect(judgeCopy([version("a", 3), version("b", 2, { status: "revoked" })])).toEqual(flawless);
});

test("a certificate that is not there or older was missed", () => {
  const verdict = judgeCopy([version("a", 1)]);
  expect(verdict).toMatchObject({ missed: 2, phantom: 0 });
  expect(verdict.findings[0]).toContain("c missed a 2026-05-01T10:00:03.000Z");
});

test("what was missed is told with the page that passed it by", () => {
  const { findings } = judgeCopy([version("a", 3)]);
  expect(findings).toEqual([expect.stringContaining("passed by the page of 2026-05-01T10:00:04.000Z to")]);
});

test.each<[string, Version]>([
  ["a certificate that the truth does not have", version("z", 1)],
  ["a state that is newer than the truth", version("a", 4)],
  ["another content at the same time", version("a", 3, { owner: "bob@example.test" })],
])("%s is a phantom", (_, phantom) => {
  const rest = [version("a", 3), version("b", 2, { status: "revoked" })];
  expect(judgeCopy([...rest, phantom])).toMatchObject({ missed: 0, phantom: 1 });
});

test("a client with a filter must have what matches, in its last state, and may keep what does not match any more", () => {
  const earlier = version("b", 1);
  expect(judgeCopy([version("a", 3), earlier], { filter: { status: "active" } })).toEqual(flawless);
  expect(judgeCopy([version("a", 3), earlier], { filter: { status: "revoked" } })).toMatchObject({
    missed: 1,
  });
  expect(judgeCopy([], { filter: { email: "ADA@example.test" } })).toMatchObject({ missed: 2 });
  expect(judgeCopy([], { filter: { email: "bob@example.test" } })).toEqual(flawless);
});

test("what came out of order is added up", () => {
  const copy = [...(truth.stores.get("s")?.values() ?? [])];
  expect(judgeCopy(copy, { outOfOrder: 2 })).toEqual({ ...flawless, outOfOrder: 2 });
});

test("two changes of one store with one time are doubled; those of two stores are not", () => {
  const changedAt = new Map([
    ["s", [at(1), at(1), at(2), at(1)]],
    ["t", [at(1)]],
  ]);
  const verdict = judge({ truth: { stores: new Map(), changedAt }, clients: [], told: new Map() });
  expect(verdict).toEqual({ ...flawless, doubled: 2 });
});

test("what a client saw for a while and never was is a phantom", () => {
  const copy = [...(truth.stores.get("s")?.values() ?? [])];
  expect(judgeCopy(copy, { pages: [pageOf([at(1)]), pageOf([at(2), at(3)])] })).toEqual(flawless);
  expect(judgeCopy(copy, { pages: [pageOf([at(0), at(3)])] })).toMatchObject({ phantom: 1 });
});

test.each([
  ["of a certificate that is not there", { certificateId: "z" }],
  ["at a time at which nothing happened", { certificateId: "a", updatedAt: at(4) }],
])("a change that a writer was told of, %s, is a phantom", (_, change) => {
  const told = new Map([["s", [change]]]);
  expect(judge({ truth, clients: [], told })).toMatchObject({ phantom: 1, missed: 0 });
});

test("what writers were told of and happened is no phantom", () => {
  const told = new Map([["s", [{ certificateId: "a", updatedAt: at(1) }, { certificateId: "b" }]]]);
  expect(judge({ truth, clients: [], told })).toEqual(flawless);
});
