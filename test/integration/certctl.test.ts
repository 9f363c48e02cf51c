import { userInfo } from "node:os";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { issueOne } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listOne } from "../harness/public-certificate.ts";
import { startTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctl } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await startTestRegistry();
afterAll(() => registry.stop());
const { database, notifier, verification } = registry;

let storeId: string;
let certificateId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
  certificateId = await issueOne(registry, storeId);
});

const certctl = (...args: string[]) =>
  runCertctl("--registry", registry.address, "--store", storeId, ...args);

describe("certctl certificate", () => {
  test("show prints the certificate's public JSON, found by its id or its number", async () => {
    const shown = [certificateId, "1", "000001"].map((selector) => certctl("certificate", "show", selector));
    for (const { code, out } of await Promise.all(shown)) {
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual(await listOne(registry, storeId));
    }
  });

  test("revoke without --yes says which, and writes nothing", async () => {
    const before = await database.contents();
    const { code, out } = await certctl("certificate", "revoke", "1");
    expect(code).toBe(0);
    expect(out).toBe(
      `would revoke 000001  ${certificateId}  active  Ada Example <ada@example.test>; add --yes to do it\n`,
    );
    expect(await database.contents()).toEqual(before);
  });

  test("revoke, reactivate and transfer do it, and the history says by whom", async () => {
    const change = async (...args: string[]) => (await certctl("certificate", ...args)).out;
    expect(await change("revoke", "1", "--yes", "--cause", "refund", "--reason", "Money back")).toBe(
      `000001  ${certificateId}  revoked  Ada Example <ada@example.test>\n`,
    );
    expect(await listOne(registry, storeId)).toMatchObject({
      status: "revoked",
      revokedReason: "Money back",
    });
    expect(await change("reactivate", certificateId)).toContain("  active  ");
    expect(await change("transfer", "1", "--name", "Grace", "--email", "g@example.test")).toContain(
      "  Grace <g@example.test>\n",
    );

    const events = await waitingEvents(database, storeId);
    const lines = (await change("history", "1")).trimEnd().split("\n");
    const actor = `certctl/${userInfo().username}`;
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      [events[0]?.occurredAt, "issued", "manual", events[0]?.id, "unknown"],
      [events[1]?.occurredAt, "revoked", "refund", events[1]?.id, actor],
      [events[2]?.occurredAt, "reactivated", "in_app", events[2]?.id, actor],
      [events[3]?.occurredAt, "transferred", "in_app", events[3]?.id, actor],
    ]);
  });

  test("with a request id that is repeated changes nothing", async () => {
    const revoke = () => certctl("certificate", "revoke", "1", "--yes", "--request-id", "a");
    const first = await revoke();
    const before = await database.contents();
    expect(await revoke()).toEqual(first);
    expect(await database.contents()).toEqual(before);
  });

  test("ends a refused command with 1 and one sentence", async () => {
    const commands = {
      "There is no such certificate.": ["show", "crt_none"],
      "The certificate is valid already.": ["reactivate", "1"],
      "new_owner_email is not an e-mail address": ["transfer", "1", "--name", "G", "--email", "nobody"],
    };
    const ran = await Promise.all(Object.values(commands).map((args) => certctl("certificate", ...args)));
    expect(ran).toEqual(
      Object.keys(commands).map((sentence) => ({ code: 1, out: "", error: `certctl: ${sentence}\n` })),
    );
  });
});

test("certctl quarantine list prints what could not be read, and nothing that a terminal would obey", async () => {
  const subject = "certificates.0.sto_none.issued";
  const message = {
    subject,
    sequence: 1n,
    messageId: "\u001b[2J",
    data: Buffer.alloc(70, "?"),
    problem: "no event",
  };
  // Kept once, however often it comes.
  await notifier.quarantineMessage(message);
  await notifier.quarantineMessage(message);
  const { code, out } = await certctl("quarantine", "list");
  expect(code).toBe(0);
  const [head, bytes, ...rest] = out.split("\n");
  expect(head?.slice(24)).toBe(`  ${subject}  \ufffd[2J  no event`);
  expect(bytes).toBe(`    ${"3f".repeat(64)} … (70 bytes)`);
  expect(rest).toEqual([""]);
});

test("certctl report list prints the newest reports first, and nothing that a terminal would obey", async () => {
  await verification.reportProblem({
    certificateId,
    content: "It is torn.\nLook:\u001b[2J",
    reporterEmail: "b@c",
  });
  await verification.reportProblem({ certificateId, content: "It is fake." });
  const events = await waitingEvents(database, storeId);
  const [first, second] = [events[1]?.occurredAt, events[2]?.occurredAt];
  const newest = `${second}  ${certificateId}  -\n    It is fake.\n`;
  const oldest = `${first}  ${certificateId}  b@c\n    It is torn.\n    Look:\ufffd[2J\n`;
  const limits = [[], ["--limit", "1"], ["--limit", "0"]];
  const ran = await Promise.all(limits.map((limit) => certctl("report", "list", ...limit)));
  expect(ran.map(({ code, out }) => [code, out])).toEqual([
    [0, newest + oldest],
    [0, newest],
    [1, ""],
  ]);
});
