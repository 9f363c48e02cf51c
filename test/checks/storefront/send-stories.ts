import { systemClock } from "#shared/time/clock.ts";
import type { TestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import type { OrderStory } from "./order-story.ts";

interface SendStoriesSetup {
  readonly app: TestPlatformApp;
  readonly edgeUrl: string;
  readonly shop: string;
  readonly stories: readonly OrderStory[];
  /** Orders per second. */
  readonly rate: number;
  /** Called for each message that is acknowledged. */
  readonly onAcknowledged: () => void;
  readonly signal: AbortSignal;
}

// Longer than a registry takes to restart.
const giveUpAfterMs = 60_000;
const pauseMs = 250;

/**
 * Starts orders at a fixed rate, and sends the messages of each order one after another. Repeats a message until it is
 * acknowledged, for at most about a minute.
 */
export async function sendStories(setup: SendStoriesSetup) {
  const { stories, rate, signal, app, edgeUrl, shop } = setup;
  const responseTimes: number[] = [];
  let unacknowledged = 0;
  let repeated = 0;

  async function send(message: OrderStory["messages"][number]): Promise<void> {
    const deadline = performance.now() + giveUpAfterMs;
    for (;;) {
      const sentAt = performance.now();
      const status = await app.send(edgeUrl, { shop, ...message }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        () => 0,
      );
      if (status === 200) {
        responseTimes.push(performance.now() - sentAt);
        setup.onAcknowledged();
        return;
      }
      if (performance.now() >= deadline || signal.aborted) {
        unacknowledged += 1;
        return;
      }
      repeated += 1;
      await systemClock.sleep(pauseMs, signal);
    }
  }

  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  for (const [index, { messages }] of stories.entries()) {
    await systemClock.sleep(Math.max(0, startedAt + (index * 1_000) / rate - performance.now()), signal);
    if (signal.aborted) break;
    sending.push(messages.reduce((sent, message) => sent.then(() => send(message)), Promise.resolve()));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await Promise.all(sending);
  return { responseTimes, unacknowledged, repeated, seconds };
}
