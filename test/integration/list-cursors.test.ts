import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openTestEdge } from "../../services/edge/testing/start-edge.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openKeyFolder } from "../harness/key-files.ts";
import { ListClient } from "../harness/list-client.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { createKeyedStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const keys = await openKeyFolder(afterAll);
const [oldKey, newKey] = [await keys.write("old"), await keys.write("new")];

/** Starts an edge that stops when the test ends. @returns a client that calls the edge with the API key `key` */
async function openEdge(keyFiles: readonly [string, ...string[]], key = apiKey): Promise<ListClient> {
  const cursorKeyFiles: [string, ...string[]] = [...keyFiles];
  const edge = await openTestEdge({ registryAddress: registry.address, cursorKeyFiles }, { onEnd: onTestFinished });
  return new ListClient(`http://127.0.0.1:${edge.port}`, key);
}

const certificateCount = 6;
const isAda = (index: number) => index % 2 === 0;
let apiKey: string;
beforeAll(async () => {
  const { storeId, ...key } = await createKeyedStore(registry);
  apiKey = key.apiKey;
  const items = Array.from({ length: certificateCount }, (_, index) =>
    issueItem({ buyer: { name: "Buyer", email: isAda(index) ? "ada@example.test" : "bo@example.test" } }),
  );
  await registry.issuing.issueCertificates({ items }, inStore(storeId));
});

/** Sends a request. @returns the response's status, and the parameter that an error names */
async function outcomeOf(client: ListClient, query: string) {
  const response = await client.fetch(query);
  const { message = "" } = (await response.json()) as { message?: string };
  return [response.status, message.split(" ", 1)[0]];
}

async function firstCursor(client: ListClient, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  const { next_cursor } = await client.page({ ...parameters, limit: "1" });
  if (next_cursor === null) throw new Error("the first page is the last");
  return next_cursor;
}

describe("a cursor", () => {
  test("sent without filters continues the query that returned it, with any limit", async () => {
    const client = await openEdge([oldKey]);
    const all = await client.all({ email: "ADA@example.test" });
    expect(all).toHaveLength(certificateCount / 2);
    const cursor = await firstCursor(client, { email: "ADA@example.test", status: "active" });
    const rest = await client.page({ cursor });
    expect([all[0], ...rest.certificates]).toEqual(all);
    expect(rest.next_cursor).toBeNull();
    const second = await client.page({ cursor, limit: "1" });
    expect((await client.page({ cursor: second.next_cursor ?? "" })).certificates).toEqual(all.slice(2));
  });

  test("is accepted with the filters of its query, and refused with other filters by a 400 that names the parameter", async () => {
    const client = await openEdge([oldKey]);
    const cursor = await firstCursor(client, { email: "ada@example.test", updated_since: "2026-01-01T00:00:00Z" });
    const same = "email=Ada@Example.test&updated_since=2026-01-01T01:00%2B0100";
    expect(await outcomeOf(client, `${same}&cursor=${cursor}`)).toEqual([200, ""]);
    for (const [query, name] of [
      ["email=bo@example.test&updated_since=2026-01-01T00:00Z", "email"],
      ["updated_since=2026-01-01T00:00Z", "email"],
      ["email=ada@example.test", "updated_since"],
      [`${same}&status=active`, "status"],
      [`${same}&serial=1`, "serial"],
      [`${same}&order=1`, "order"],
    ])
      expect(await outcomeOf(client, `${query}&cursor=${cursor}`), query).toEqual([400, name]);
  });

  test("that was issued for another store or altered is refused with a 400 that names the parameter `cursor`", async () => {
    const other = await openEdge([oldKey], (await createKeyedStore(registry)).apiKey);
    const client = await openEdge([oldKey]);
    const cursor = await firstCursor(client);
    expect(await outcomeOf(other, `cursor=${cursor}`)).toEqual([400, "cursor"]);
    const altered = cursor.slice(0, -5) + (cursor.at(-5) === "A" ? "B" : "A") + cursor.slice(-4);
    expect(await outcomeOf(client, `cursor=${altered}`)).toEqual([400, "cursor"]);
  });
});

describe("while a new cursor key is rolled out, cursors", () => {
  const steps = {
    "one has only the old key, the other also accepts the new key": [[oldKey], [oldKey, newKey]],
    "one accepts the new key, the other uses it and accepts the old key": [
      [oldKey, newKey],
      [newKey, oldKey],
    ],
    "one uses the new key and accepts the old key, the other has only the new key": [[newKey, oldKey], [newKey]],
  } as const satisfies Record<string, readonly (readonly [string, ...string[]])[]>;

  test.each(Object.entries(steps))("from each of two edges work on the other: %s", async (_step, [before, after]) => {
    const [one, other] = [await openEdge(before), await openEdge(after)];
    for (const [issuer, reader] of [
      [one, other],
      [other, one],
    ] as const)
      expect((await reader.page({ cursor: await firstCursor(issuer) })).certificates).toHaveLength(5);
  });

  test("are refused only by an edge without their key, so every edge must accept the new key before any edge uses it", async () => {
    const [updated, old] = [await openEdge([newKey, oldKey]), await openEdge([oldKey])];
    expect(await outcomeOf(old, `cursor=${await firstCursor(updated)}`)).toEqual([400, "cursor"]);
    expect(await outcomeOf(updated, `cursor=${await firstCursor(old)}`)).toEqual([200, ""]);
  });

  test("are refused once their key is withdrawn, but not before", async () => {
    const cursor = await firstCursor(await openEdge([oldKey]));
    expect(await outcomeOf(await openEdge([newKey, oldKey]), `cursor=${cursor}`)).toEqual([200, ""]);
    expect(await outcomeOf(await openEdge([newKey]), `cursor=${cursor}`)).toEqual([400, "cursor"]);
  });
});
