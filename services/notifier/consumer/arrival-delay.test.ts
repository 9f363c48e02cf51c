import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { testEvent } from "../event-fixture.ts";
import { arrivalDelay } from "./arrival-delay.ts";

const committedAt = 1_000_000;
const event = testEvent({ queuedAt: timestampFromMs(committedAt) });
const delivered = { kind: OutcomeKind.DELIVERED, durationMs: 700, phases: { sendMs: 10, replyMs: 600 } };

test("the delay ends when the message is sent, not when the receiver replies", () => {
  expect(arrivalDelay(event, delivered, committedAt + 900)).toEqual({ delayMs: 300, receiver: "fast" });
});

test("the delay ends with the attempt if nothing could be sent", () => {
  const failed = { kind: OutcomeKind.CONNECTION_FAILED, durationMs: 200, phases: { connectMs: 200 } };
  expect(arrivalDelay(event, failed, committedAt + 900)).toEqual({ delayMs: 900, receiver: "fast" });
});

test("classifies the receiver as slow if the attempt times out", () => {
  const slow = { kind: OutcomeKind.TIMEOUT, durationMs: 8_050, phases: { replyMs: 8_000 } };
  expect(arrivalDelay(event, slow, committedAt + 9_000)).toEqual({ delayMs: 1_000, receiver: "slow" });
});

test("the delay is never negative, even if the notifier's clock is behind the database's clock", () => {
  expect(arrivalDelay(event, delivered, committedAt)).toMatchObject({ delayMs: 0 });
});

test("the delay starts at occurredAt for an event without queuedAt", () => {
  const old = testEvent({ occurredAt: timestampFromMs(committedAt) });
  expect(arrivalDelay(old, delivered, committedAt + 900)).toMatchObject({ delayMs: 300 });
});

test("returns undefined for an interrupted attempt, whose message may not have been sent", () => {
  const interrupted = { ...delivered, kind: OutcomeKind.INTERRUPTED };
  expect(arrivalDelay(event, interrupted, committedAt + 900)).toBeUndefined();
});
