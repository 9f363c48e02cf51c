import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { CertificateEvent } from "#gen/events/v1/certificate_event_pb.js";
import { createMetrics } from "#shared/http/operations-server.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import { systemClock } from "#shared/time/clock.ts";
import { type EventInit, eventBytes, type TestMessage, testEvent, testMessage } from "../event-fixture.ts";
import { ack, type Disposition } from "./disposition.ts";
import { MessageDispatcher, type MessageDispatcherOptions } from "./message-dispatcher.ts";
import { MessageSlot } from "./message-slot.ts";
import { notifierMetrics } from "./notifier-metrics.ts";
import { Semaphore } from "./semaphore.ts";

/** A pending call to the event handler, which the test finishes. */
interface HandlerCall {
  readonly event: CertificateEvent;
  readonly signal: AbortSignal;
  readonly onSend: ((sent: Promise<unknown>) => void) | undefined;
  readonly finish: (disposition: Disposition) => void;
}

/** Creates a dispatcher with ten slots. Calls to its handler remain pending until the test finishes them. */
export function createTestDispatcher(options: Partial<MessageDispatcherOptions> = {}) {
  const calls: HandlerCall[] = [];
  const quarantined: [messageId: string, problem: Reason][] = [];
  const metrics = createMetrics();
  const slots = new Semaphore(10);
  const dispatcher = new MessageDispatcher({
    quarantine: async (message, problem) => void quarantined.push([message.messageId, problem]),
    handle: (event, signal, onSend) => new Promise((finish) => calls.push({ event, signal, onSend, finish })),
    storeConcurrency: { storeMax: 2, slowMax: 5, unknownMax: 5 },
    waitingMax: 20,
    clock: systemClock,
    metrics: notifierMetrics(metrics),
    logger: pino({ level: "silent" }),
    ...options,
  });
  onTestFinished(() => {
    for (const { finish } of calls) finish(ack);
    return dispatcher.stop(0);
  });
  let sequence = 0;
  const accept = (init: EventInit, deliveryCount = 1): TestMessage => {
    const message = testMessage(eventBytes(testEvent(init)), ++sequence, deliveryCount);
    slots.forceAcquire();
    dispatcher.accept(message, new MessageSlot(slots));
    return message;
  };
  const handledIds = () => calls.map(({ event }) => event.id);
  return { dispatcher, accept, calls, handledIds, metrics, slots, quarantined };
}

/** Resolves once all pending promise reactions have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
