import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InspectionService } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { PassingClock } from "#shared/time/passing-clock-fixture.ts";
import { createOutput } from "../../output/output.ts";
import { followDelivery } from "./follow-delivery.ts";

const deliveryId = "tst_1";
let printed = "";
let notes = "";

beforeEach(() => {
  [printed, notes] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    notes += text;
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

type Poll = { outcome?: { kind: OutcomeKind; reason: { text: string } } }[] | ConnectError;

/** Follows a message while successive polls have these results; the last result repeats. @returns the exit code */
async function follow(...polls: Poll[]): Promise<number> {
  const clock = new PassingClock();
  const transport = createRouterTransport(({ service }) => {
    service(InspectionService, {
      listDeliveries: ({ eventId }) => {
        const [deliveries = []] = polls.length > 1 ? polls.splice(0, 1) : polls;
        if (deliveries instanceof ConnectError) throw deliveries;
        return { deliveries: deliveries.map((delivery) => ({ ...delivery, eventId })) };
      },
    });
  });
  await followDelivery(
    { inspection: createClient(InspectionService, transport) },
    deliveryId,
    createOutput(false, {}),
    clock,
  );
  return Number(process.exitCode ?? 0);
}

const outcomeOf = (kind: OutcomeKind) => [{ outcome: { kind, reason: { text: "The reason." } } }];

test("prints a delivered message once its outcome is known, with exit code 0", async () => {
  expect(await follow([], [{}], outcomeOf(OutcomeKind.DELIVERED))).toBe(0);
  expect(printed).toMatch(/tst_1 .* delivered .*\n {4}The reason\.\n$/);
});

const others = Object.values(OutcomeKind).filter((kind) => typeof kind === "number" && kind !== OutcomeKind.DELIVERED);

test.each(others)("prints the reason for the outcome %s, with exit code 1", async (kind) => {
  expect(await follow(outcomeOf(Number(kind)))).toBe(1);
  expect(printed).toContain("The reason.");
});

test("prints that the receiver may have received a claimed message whose outcome is unknown", async () => {
  expect(await follow([], [{}])).toBe(1);
  expect(printed).toBe(
    "The outcome of tst_1 is not known yet; the receiver may have received the message. " +
      "To see the outcome, run 'certctl event list' later.\n",
  );
});

test("prints that an unclaimed message has not been sent yet", async () => {
  expect(await follow([])).toBe(1);
  expect(printed).toBe(
    "tst_1 is queued and has not been sent yet. To see the outcome, run 'certctl event list' later.\n",
  );
});

test("prints the number of an outcome that this version does not know", async () => {
  expect(await follow(outcomeOf(Number(99)))).toBe(1);
  expect(printed).toMatch(/tst_1 .* 99 /);
});

const unavailable = new ConnectError("", Code.Unavailable);

test("keeps waiting for the outcome while the registry is unavailable", async () => {
  expect(await follow(unavailable, [{}], unavailable, outcomeOf(OutcomeKind.DELIVERED))).toBe(0);
  expect(printed).toMatch(/tst_1 .* delivered /);
});

// Exit code 5 says "try again later", and the command would send the message a second time.
test.each([
  ["stays unavailable", unavailable, /Retrying …\nThe outcome of tst_1 cannot be read: .+\n$/],
  ["refuses the call", new ConnectError("not permitted", Code.PermissionDenied), /cannot be read: not permitted\n$/],
])("if the registry %s, prints that the message is queued, with exit code 1", async (_why, failure, note) => {
  expect(await follow(failure)).toBe(1);
  expect(printed).toBe(
    "tst_1 is queued; whether it has been sent is not known. Without --idempotency-key, repeating the command would " +
      "send the message again. To see the outcome, run 'certctl event list' later.\n",
  );
  expect(notes).toMatch(note);
});

test("if the registry stays unavailable after the claim was seen, prints that the receiver may have received the message", async () => {
  expect(await follow([{}], unavailable)).toBe(1);
  expect(printed).toMatch(/^The outcome of tst_1 is not known yet; the receiver may have received the message\. /);
});
