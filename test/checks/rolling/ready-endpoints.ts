import { systemClock } from "#shared/time/clock.ts";

/** A replica that a load balancer can send requests to. */
export interface Endpoint {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** URL of the readiness probe. */
  readonly readyUrl: string;
}

const probeEveryMs = 100;
const probeTimeoutMs = 10_000;

/**
 * The endpoints whose readiness probe succeeds, as a Kubernetes Service selects them. Probes every endpoint about ten
 * times a second until disposal.
 */
export class ReadyEndpoints implements AsyncDisposable {
  readonly #ready = new Set<Endpoint>();
  readonly #closing = new AbortController();
  #probing: Promise<unknown> = Promise.resolve();

  /** Starts probing the endpoints; resolves once each has been probed. */
  static async open(endpoints: readonly Endpoint[]): Promise<ReadyEndpoints> {
    const opened = new ReadyEndpoints();
    await Promise.all(endpoints.map((endpoint) => opened.#probe(endpoint)));
    opened.#probing = Promise.all(endpoints.map((endpoint) => opened.#probeRepeatedly(endpoint)));
    return opened;
  }

  list(): readonly Endpoint[] {
    return [...this.#ready];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#probing;
  }

  async #probeRepeatedly(endpoint: Endpoint): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await systemClock.sleep(probeEveryMs, signal);
      await this.#probe(endpoint);
    }
  }

  async #probe(endpoint: Endpoint): Promise<void> {
    if (await isReady(endpoint)) this.#ready.add(endpoint);
    else this.#ready.delete(endpoint);
  }
}

async function isReady({ readyUrl }: Endpoint): Promise<boolean> {
  try {
    const response = await fetch(readyUrl, { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
