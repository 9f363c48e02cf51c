import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, onTestFinished, test, vi } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import {
  PreviewRedeliveryResponseSchema,
  RedeliverEventsResponseSchema,
} from "#gen/registry/v1/delivery_service_pb.js";
import { createOutput } from "../../output/output.ts";
import { redeliverRange } from "./redeliver-range.ts";

test("a range whose end the registry does not state ends at the time of the wall clock", async () => {
  const nowMs = Date.parse("2026-05-01T12:00:00.250Z");
  vi.spyOn(Date, "now").mockReturnValue(nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  const first = timestampFromMs(nowMs - 1_000);
  const counts = [{ event: EventType.ISSUED, count: 1 }];
  const preview = create(PreviewRedeliveryResponseSchema, { counts, first, last: first });
  const previewRedelivery = async () => preview;
  const redeliverEvents = vi.fn(async (_request: unknown) => create(RedeliverEventsResponseSchema, { queuedCount: 1 }));
  const options = { selection: {}, idempotencyKey: "series", isConfirmed: true };
  await redeliverRange({ deliveries: { previewRedelivery, redeliverEvents } }, createOutput(true), options);
  expect(redeliverEvents.mock.calls).toMatchObject([[{ deliveries: { until: timestampFromMs(nowMs) } }]]);
});
