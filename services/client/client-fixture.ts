import type { Certificate } from "./certificate.ts";
import { RegistryClient, type RegistryClientOptions } from "./registry-client.ts";
import type { Clock } from "./transport/clock.ts";

/** Returns a certificate. @param second sets `issuedAt` and `updatedAt`; see {@link timeAt} */
export function certificateFixture(id: string, second: number, changes: Partial<Certificate> = {}): Certificate {
  const at = timeAt(second);
  const owner = { name: "Ada", email: "ada@example.test" };
  return {
    id,
    serial: "000001",
    status: "active",
    edition: null,
    owner,
    originalBuyer: owner,
    product: { id: "1", title: "Print", variant: "", sku: "P" },
    order: { id: "10", name: "#1001" },
    issuedAt: at,
    updatedAt: at,
    expiresAt: null,
    revokedAt: null,
    revokedReason: null,
    verifyUrl: "https://registry.test/verify/x",
    ...changes,
  };
}

/** Returns a time in ISO 8601. @param second seconds since the start of 2026 */
export function timeAt(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
}

/** A clock that advances only through `sleep`, which resolves immediately. */
export class FakeClock implements Clock {
  /** The durations of all sleeps, in milliseconds. */
  readonly sleeps: number[] = [];
  #now = 0;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.#now += ms;
  }
}

type Reply = (url: URL) => Response | Promise<Response>;

/** Creates a client whose requests get these replies in turn; the last reply answers all further requests. */
export function clientWith(replies: readonly Reply[], options: Partial<RegistryClientOptions> = {}) {
  const clock = new FakeClock();
  const requests: { readonly url: URL; readonly headers: Headers }[] = [];
  const client = new RegistryClient({
    baseUrl: "https://registry.test/",
    apiKey: "crk_test",
    clock,
    fetch: async (input, init) => {
      const url = new URL(String(input));
      requests.push({ url, headers: new Headers(init?.headers) });
      init?.signal?.throwIfAborted();
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      return (reply ?? (() => new Response(null, { status: 500 })))(url);
    },
    ...options,
  });
  return { client, clock, requests };
}

/** Returns a reply with an error document. */
export function failWith(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return () => Response.json({ error: code, message: "It failed." }, { status, headers });
}

/** Returns a reply with a page of certificates. */
export function pageWith(certificates: readonly Certificate[], nextCursor: string | null = null, epoch = "0"): Reply {
  return () => Response.json({ certificates, next_cursor: nextCursor }, { headers: { "x-feed-epoch": epoch } });
}
