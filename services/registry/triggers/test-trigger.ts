import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { encodeEvent } from "../certificates/encode-event.ts";
import { renderCertificate } from "../certificates/public-json.ts";
import { testCertificate } from "../deliveries/send-test-message.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";
import { newId } from "../values/identifiers.ts";
import { renderSettingsOf } from "../values/store.ts";
import type { Triggers } from "./trigger.ts";
import type { TriggerQueue } from "./trigger-queue.ts";

export interface TestTriggerDeps {
  readonly triggers: Pick<Triggers, "find">;
  readonly queue: Pick<TriggerQueue, "addTest" | "readLog">;
  readonly stores: Pick<StoreDirectory, "findStore">;
  readonly clock: Clock;
  /** Base URL of the service's own verification pages. */
  readonly serviceVerifyUrl: string;
}

/**
 * Queues a test: the event `issued` with a sample certificate, which exists only in the message. A test that fails
 * is not repeated.
 *
 * @returns the test's id, which begins with `tst_`
 * @throws ServiceError `not_found` for an unknown trigger; `failed_precondition` for a disabled one
 */
export async function testTrigger(deps: TestTriggerDeps, storeId: string, triggerId: string): Promise<string> {
  const { disabled } = await deps.triggers.find(storeId, triggerId);
  if (disabled !== null) throw new ServiceError("failed_precondition", reason("trigger_disabled"));
  const store = await deps.stores.findStore({ storeId });
  const now = new Date(deps.clock.now());
  const certificate = testCertificate(storeId, now);
  const eventId = newId("tst");
  const type = EventType.ISSUED;
  const rendered = renderCertificate(certificate, renderSettingsOf(store, deps.serviceVerifyUrl), now);
  const event = encodeEvent(store, { id: eventId, type, occurredAt: now, certificate }, rendered);
  await deps.queue.addTest({ eventId, triggerId, storeId, certificateId: certificate.id, at: now, type, event });
  return eventId;
}
