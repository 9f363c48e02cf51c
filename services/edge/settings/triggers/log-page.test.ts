import { expect, test } from "vitest";
import { TriggerDeliveryState } from "#gen/registry/v1/trigger_service_pb.js";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { triggerLogPage } from "./log-page.ts";

test("an event in a state that only a later registry knows is listed as waiting, beside the others", async () => {
  const states = [TriggerDeliveryState.DELIVERED, 99 as TriggerDeliveryState];
  const deliveries = states.map((state, index) => ({ state, eventId: `evt_${index}` }));
  const visit = visitFixture(({ service }) => {
    service(settingsServices.triggers, { listTriggerDeliveries: () => ({ deliveries }) });
  });
  const page = String((await triggerLogPage.show?.(visit))?.content);
  expect(Array.from(page.matchAll(/class="badge [a-z]+">([^<]+)</g), ([, name]) => name)).toEqual([
    "Delivered",
    "Waiting",
  ]);
});
