import { userInfo } from "node:os";
import { beforeEach, describe, expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { expectNothingChanged } from "../harness/expect-nothing-changed.ts";
import { inStore } from "../harness/in-store.ts";
import { issueOne } from "../harness/issue-items.ts";
import { waitingEvents } from "../harness/outbox-events.ts";
import { listOne } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { runCertctlFor } from "../harness/run-certctl.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const { database, notifier, verification } = registry;

let storeId: string;
let certificateId: string;
beforeEach(async () => {
  storeId = await createTestStore(registry);
  certificateId = await issueOne(registry, storeId);
});

const certctl = (...args: string[]) => runCertctlFor(registry, storeId, ...args);

describe("certctl certificate", () => {
  test("show finds a certificate by id or serial number and prints its public JSON", async () => {
    const shown = [certificateId, "1", "000001"].map((selector) => certctl("certificate", "show", selector));
    for (const { code, out } of await Promise.all(shown)) {
      expect(code).toBe(0);
      expect(JSON.parse(out)).toEqual(await listOne(registry, storeId));
    }
  });

  test.each([
    [["revoke", "1"], "revoke", ""],
    [["reactivate", "1"], "reactivate", ""],
    [["transfer", "1", "--name", "Grace", "--email", "g@example.test"], "transfer", " to Grace <g@example.test>"],
    [["new-link", "1"], "replace the link of", ", whose present link would stop working"],
  ])("%j without --yes prints the certificate and writes nothing", async (args, verb, rest) => {
    await expectNothingChanged(database, async () => {
      const { code, out } = await certctl("certificate", ...args);
      expect(code).toBe(0);
      const found = `000001  ${certificateId}  active  Ada Example <ada@example.test>`;
      expect(out).toBe(`would ${verb} ${found}${rest}; rerun with --yes to apply\n`);
    });
  });

  test("revoke, reactivate and transfer change the certificate, and history prints the actor", async () => {
    const change = async (...args: string[]) => (await certctl("certificate", ...args)).out;
    expect(await change("revoke", "1", "--yes", "--cause", "refund", "--reason", "Money back")).toBe(
      `000001  ${certificateId}  revoked  Ada Example <ada@example.test>\n`,
    );
    expect(await listOne(registry, storeId)).toMatchObject({
      status: "revoked",
      revokedReason: "Money back",
    });
    expect(await change("reactivate", certificateId, "--yes")).toContain("  active  ");
    expect(await change("transfer", "1", "--yes", "--name", "Grace", "--email", "g@example.test")).toContain(
      "  Grace <g@example.test>\n",
    );

    const again = await certctl(
      "certificate",
      "transfer",
      "1",
      "--yes",
      "--name",
      "Grace",
      "--email",
      "G@example.test",
    );
    expect(again).toEqual({
      code: 0,
      out: expect.stringContaining("  Grace <g@example.test>\n"),
      error: expect.stringMatching(/\nunchanged: the certificate already has this owner, so no message was sent\n$/),
    });

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

  test("prints the first result and changes nothing when an idempotency key is repeated", async () => {
    const revoke = () => certctl("certificate", "revoke", "1", "--yes", "--idempotency-key", "a");
    const first = await revoke();
    await expectNothingChanged(database, async () => {
      expect(await revoke()).toEqual(first);
    });
  });

  test("prints one sentence and exits with the code for the error when a command is refused", async () => {
    const commands = {
      "There is no such certificate.": ["show", "crt_none"],
      "The certificate is already active.": ["reactivate", "1", "--yes"],
      "--name is invalid: The value contains a control character.": [
        "transfer",
        "1",
        "--yes",
        "--name",
        "a\tb",
        "--email",
        "g@example.test",
      ],
    };
    const ran = await Promise.all(Object.values(commands).map((args) => certctl("certificate", ...args)));
    const codes = [3, 1, 2];
    expect(ran.map((run) => ({ ...run, error: run.error.replace(/^target: .*\n/, "") }))).toEqual(
      Object.keys(commands).map((sentence, index) => ({
        code: codes[index],
        out: "",
        error: `certctl: ${sentence}\n`,
      })),
    );
  });
});

test("certctl quarantine list prints quarantined messages without terminal control characters", async () => {
  const subject = "certificates.0.sto_none.issued";
  const message = {
    subject,
    sequence: 1n,
    messageId: "\u001b[2J",
    data: Buffer.alloc(70, "?"),
    problem: reason("event_malformed"),
  };
  // The repeated call has no effect: quarantining is idempotent.
  await notifier.quarantineMessage(message);
  await notifier.quarantineMessage(message);
  const { code, out } = await certctl("quarantine", "list");
  expect(code).toBe(0);
  const [head, bytes, ...rest] = out.split("\n");
  expect(head?.slice(24)).toBe(`  ${subject}  \ufffd[2J  The bytes are not an event.`);
  expect(bytes).toBe(`    ${"3f".repeat(64)} … (70 bytes)`);
  expect(rest).toEqual([""]);
});

test("certctl quarantine list prints the command that redelivers a quarantined event", async () => {
  const [{ id: messageId } = { id: "" }] = await waitingEvents(database, storeId);
  const subject = `certificates.0.${storeId}.issued.${messageId}`;
  const message = { subject, sequence: 2n, messageId, data: Buffer.of(1), problem: reason("event_malformed") };
  await notifier.quarantineMessage(message);
  const { out } = await certctl("quarantine", "list", "--limit", "1");
  const command = `certctl --store ${storeId} event redeliver ${messageId}`;
  expect(out.split("\n").slice(1)).toEqual(["    01", `    to send the event again: ${command}`, ""]);
});

test("certctl report list prints the newest reports first, without terminal control characters", async () => {
  const torn = await verification.reportProblem({
    certificateId,
    kind: ReportKind.MISMATCH,
    content: "It is torn.\nLook:\u001b[2J",
    reporterEmail: "b@c",
  });
  const fake = await verification.reportProblem({ certificateId, content: "It is fake." });
  const events = await waitingEvents(database, storeId);
  const [first, second] = [events[1]?.occurredAt, events[2]?.occurredAt];
  const newest = `${fake.reportId}  ${second}  open  ${certificateId}  other  -\n    It is fake.\n`;
  const oldest = (state: string) =>
    `${torn.reportId}  ${first}  ${state}  ${certificateId}  mismatch  b@c\n    It is torn.\n    Look:\ufffd[2J\n`;
  const limits = [[], ["--limit", "1"], ["--limit", "0"]];
  const ran = await Promise.all(limits.map((limit) => certctl("report", "list", ...limit)));
  expect(ran.map(({ code, out }) => [code, out])).toEqual([
    [0, newest + oldest("open")],
    [0, newest],
    [2, ""],
  ]);
  expect((await certctl("report", "close", torn.reportId)).out).toBe(`${torn.reportId} is closed\n`);
  expect((await certctl("report", "close", torn.reportId)).out).toBe(`${torn.reportId} was already closed\n`);
  expect((await certctl("report", "list")).out).toBe(newest + oldest("closed"));
  expect((await certctl("report", "list", "--open")).out).toBe(newest);
});

describe("certctl event list", () => {
  const { notifier } = registry;
  // Recent, because the database deletes old deliveries.
  const startMs = Math.floor(Date.now() / 60_000 - 60) * 60_000;
  const second = (count: number) => new Date(startMs + count * 1_000).toISOString();

  /** Claims three deliveries: one is refused, one fails in TLS, and one stays in progress. @returns their ids */
  async function makeDeliveries(): Promise<string[]> {
    await registry.admin.setWebhook({ url: "https://receiver.example.test/hook" }, inStore(storeId));
    const ids = ["a", "b", "c"].map((name) => `evt_${name}${storeId}`);
    for (const [index, eventId] of ids.entries()) {
      await notifier.claimDeliveries({
        claims: [{ eventId, storeId, certificateId: "crt_1", type: 1, requestedBy: index === 2 ? "ada" : "" }],
      });
      const claimedAt = new Date(second(index));
      await database.collections.deliveries.updateOne({ _id: eventId }, { $set: { claimedAt } });
    }
    const [eventId = "", other = ""] = ids;
    const phases = { resolveMs: 1, connectMs: 20 };
    const refused = {
      eventId,
      kind: OutcomeKind.REFUSED,
      httpStatus: 500,
      durationMs: 31,
      reason: reason("delivered", { status: 500 }),
    };
    const failed = {
      eventId: other,
      kind: OutcomeKind.TLS_FAILED,
      reason: reason("receiver_certificate_expired", { error: "none" }),
      phases: { ...phases, tlsMs: 0 },
    };
    const shown = { phases: { ...phases, replyMs: 5 }, remoteAddress: "2001:db8::1" };
    // Unsanitized on purpose: certctl must not rely on the notifier to remove control characters.
    const replyExcerpt = "Ooops\n\u001b[2Jbad\n";
    await notifier.recordOutcomes({ outcomes: [{ ...refused, ...shown, replyExcerpt }, failed] });
    return ids;
  }

  test("prints deliveries newest first, with all details and without terminal control characters", async () => {
    const [refused, failed, inProgress] = await makeDeliveries();
    const { code, out } = await certctl("event", "list");
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      `${second(2)}  ${inProgress}  crt_1  issued       in progress`,
      "    Requested by ada.",
      `${second(1)}  ${failed}  crt_1  issued       tls_failed         -  0 ms  -`,
      "    The receiver's certificate has expired. Renew the certificate.",
      "    DNS 1, connect 20, TLS 0 ms",
      `${second(0)}  ${refused}  crt_1  issued       refused            500  31 ms  2001:db8::1`,
      "    The receiver replied with status 500.",
      "    DNS 1, connect 20, reply 5 ms",
      "    | Ooops",
      "    | \ufffd[2Jbad",
      "",
    ]);
  });

  test("prints a notice on standard error only if more messages match than --limit permits", async () => {
    await makeDeliveries();
    const [some, all] = await Promise.all(["2", "3"].map((limit) => certctl("event", "list", "--limit", limit)));
    expect([some?.error, all?.error]).toEqual(["More messages match. Raise --limit, or narrow the list.\n", ""]);
  });

  test("prints only the deliveries that match the options, and exits with 2 for an invalid option value", async () => {
    const [refused, failed, inProgress] = await makeDeliveries();
    const list = async (...args: string[]) => {
      const { code, out } = await certctl("event", "list", ...args);
      return [code, out.match(/(?<=Z {2})evt_\w+/g)];
    };
    const ran = await Promise.all([
      list("--outcome", "refused"),
      list("--since", second(1).replace("Z", "+00:00")),
      list("--until", second(2), "--limit", "1"),
      list("--outcome", "lost"),
      list("--since", "yesterday"),
    ]);
    expect(ran).toEqual([
      [0, [refused]],
      [0, [inProgress, failed]],
      [0, [failed]],
      [2, null],
      [2, null],
    ]);
  });
});
