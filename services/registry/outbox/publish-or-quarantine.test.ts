import { NatsError } from "nats";
import { expect, test } from "vitest";
import { ServiceError } from "#shared/errors/service-error.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { reasonText } from "#shared/reasons/reason-text.ts";
import { publishOrQuarantine } from "./publish-or-quarantine.ts";
import { refusalOf } from "./publish-refusal.ts";
import { entry } from "./relay-fixture.ts";

const apiError = (code: number, err_code: number) =>
  Object.assign(new NatsError("refused", String(code)), { api_error: { code, err_code, description: "refused" } });
const denied = (operation: string) =>
  Object.assign(new NatsError("Permissions Violation", "PERMISSIONS_VIOLATION"), {
    permissionContext: { operation, subject: "certificates.3.sto_1.issued.evt_1" },
  });

const tooLarge = NatsError.errorForCode("MAX_PAYLOAD_EXCEEDED");

test.each([
  ["a message above the server's maximum", tooLarge, "too_large"],
  ["a message above the stream's maximum", apiError(400, 10_054), "too_large"],
  ["a subject to which the user may not publish", denied("publish"), "not_permitted"],
  ["a missing permission to receive replies", denied("subscription"), undefined],
  ["a duplicate", apiError(400, 10_071), undefined],
  ["a full stream", apiError(503, 10_077), undefined],
  ["a stream without a leader", new NatsError("503", "503"), undefined],
  ["a timeout", NatsError.errorForCode("TIMEOUT"), undefined],
  ["any other error", new Error("bug"), undefined],
])("classifies %s", (_what, error, reason) => {
  expect(refusalOf(error)?.reason).toBe(reason);
});

interface Quarantining {
  readonly quarantineError?: Error;
  readonly isInOutbox?: boolean;
}

/** Publishes an event; the attempt fails with `error`. @returns the result or thrown error, the calls and the log */
async function publishFailing(error: Error, { quarantineError, isInOutbox = true }: Quarantining = {}) {
  const calls: string[] = [];
  const { logger, lines } = captureLog();
  const publish = publishOrQuarantine(
    async () => {
      throw refusalOf(error) ?? error;
    },
    {
      quarantine: async ({ eventId }, problem) => {
        calls.push(`quarantine ${eventId}: ${reasonText(problem, "en")}`);
        if (quarantineError !== undefined) throw quarantineError;
        return isInOutbox;
      },
      onRefused: (reason) => void calls.push(reason),
      logger,
    },
  );
  const result = await publish(entry("a1")).catch((failure: unknown) => failure);
  return { result, calls, log: lines.map(({ msg }) => msg) };
}

const quarantined = ["too_large", "quarantine a1: NATS refuses the event (0 bytes): MAX_PAYLOAD_EXCEEDED"];

test("quarantines an event that is too large", async () => {
  const log = ["quarantined an event that NATS refuses"];
  expect(await publishFailing(tooLarge)).toEqual({ result: "settled", calls: quarantined, log });
});

test("settles an event that is too large but has left the outbox, and does not log it as quarantined", async () => {
  const log = ["NATS refuses an event that has left the outbox since; it is not quarantined"];
  const expected = { result: "settled", calls: quarantined, log };
  expect(await publishFailing(tooLarge, { isInOutbox: false })).toEqual(expected);
});

test("reports an oversized event as refused, so that the relay retries it, while the event cannot be quarantined", async () => {
  const unavailable = new ServiceError("unavailable", "The event may be in flight.");
  const log = ["cannot quarantine an event yet; retrying"];
  const expected = { result: "refused", calls: quarantined, log };
  expect(await publishFailing(tooLarge, { quarantineError: unavailable })).toEqual(expected);
});

test("reports an event as refused, so that the relay retries it, while the NATS user may not publish it", async () => {
  expect(await publishFailing(denied("publish"))).toEqual({ result: "refused", calls: ["not_permitted"], log: [] });
});

test("rethrows an error that is not a refusal, such as a full stream", async () => {
  const outage = apiError(503, 10_077);
  expect(await publishFailing(outage)).toEqual({ result: outage, calls: [], log: [] });
});
