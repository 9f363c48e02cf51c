import { expect, test } from "vitest";
import type { LoggedRequest } from "../../harness/receiver/request-log.ts";
import { evaluateTriggers } from "./trigger-verdict.ts";

const path = "/wavers/trigger-1";
const event = (id: string, at: string) => ({ id, storeId: "sto_1", certificateId: "crt_1", name: id, at });
const events = [event("issued", "1"), event("verified", "2")];
const trigger = { id: "trg_1", storeId: "sto_1", path, accepts: true };

function request(id: string, reply = "204", to = path): LoggedRequest {
  const sent = { method: "POST", path: to, headers: new Map([["webhook-id", id]]), body: Buffer.alloc(0) };
  return { ...sent, isComplete: true, bytes: 0, connection: 1, at: "now", reply };
}

const judge = (requests: readonly LoggedRequest[], accepts = true, isSettled = true) => {
  const { lost, outOfOrder } = evaluateTriggers({ events, triggers: [{ ...trigger, accepts }], requests, isSettled });
  return { lost, outOfOrder };
};

test.each([
  ["each event once", [request("issued"), request("verified")]],
  ["an event that is refused, and then repeated", [request("issued", "500"), request("issued"), request("verified")]],
  ["a repeated event", [request("issued"), request("issued"), request("verified")]],
])("accepts %s", (_name, requests) => {
  expect(judge(requests)).toEqual({ lost: 0, outOfOrder: 0 });
});

test("reports events that were not accepted", () => {
  expect(judge([request("issued"), request("verified", "500")])).toEqual({ lost: 1, outOfOrder: 0 });
  expect(judge([request("issued"), request("verified", "204", "/wavers/trigger-2")])).toMatchObject({ lost: 1 });
});

test("ignores missing events if the receiver accepts no events or the run has not settled", () => {
  expect(judge([], false)).toEqual({ lost: 0, outOfOrder: 0 });
  expect(judge([], true, false)).toEqual({ lost: 0, outOfOrder: 0 });
});

test("reports an event that arrives after a later event", () => {
  expect(judge([request("issued"), request("verified"), request("issued")])).toEqual({ lost: 0, outOfOrder: 1 });
});
