import { createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import type { Clock } from "#shared/time/clock.ts";
import { followDelivery } from "./follow-delivery.ts";

const deliveryId = "tst_1";
let printed = "";

beforeEach(() => {
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Follows a message of which the log shows this, look by look; the last look repeats. */
async function follow(...looks: { outcome?: { kind: OutcomeKind; reason: string } }[][]): Promise<number> {
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (durationMs) => {
      nowMs += durationMs;
    },
  };
  const transport = createRouterTransport(({ service }) => {
    service(InspectionService, {
      listDeliveries: ({ eventId }) => {
        const [look = []] = looks.length > 1 ? looks.splice(0, 1) : looks;
        return { deliveries: look.map((delivery) => ({ ...delivery, eventId })) };
      },
    });
  });
  await followDelivery(
    { inspection: createClient(InspectionService, transport) },
    "sto_1",
    deliveryId,
    clock,
  );
  return Number(process.exitCode ?? 0);
}

const ended = (kind: OutcomeKind) => [{ outcome: { kind, reason: "So it ended." } }];

test("a message that is delivered is printed as soon as that is known, and ends with 0", async () => {
  expect(await follow([], [{}], ended(OutcomeKind.DELIVERED))).toBe(0);
  expect(printed).toMatch(/tst_1 .* delivered .*\n {4}So it ended\.\n$/);
});

const others = Object.values(OutcomeKind).filter(
  (kind) => typeof kind === "number" && kind !== OutcomeKind.DELIVERED,
);

test.each(others)("outcome %s is printed and ends with 1", async (kind) => {
  expect(await follow(ended(Number(kind)))).toBe(1);
  expect(printed).toContain("So it ended.");
});

test("where a message was taken up and no outcome came in time, the receiver may have got it", async () => {
  expect(await follow([], [{}])).toBe(1);
  expect(printed).toBe(
    "The outcome of tst_1 is not known yet; the receiver may have got it. See certctl delivery list.\n",
  );
});

test("where nobody has taken a message up in time, it is not sent yet", async () => {
  expect(await follow([])).toBe(1);
  expect(printed).toBe("tst_1 is not sent yet: it waits for its turn. See certctl delivery list later.\n");
});
