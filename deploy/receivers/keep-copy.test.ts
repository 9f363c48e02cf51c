import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, test, vi } from "vitest";
import { newCopy, reconcile, saveMessage } from "./keep-copy.mjs";

vi.mock("node:timers/promises", () => ({ setTimeout: vi.fn(async () => undefined) }));

const unavailable = (retryAfter?: string) => () =>
  new Response("busy", { status: 503, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } });
const emptyPage = () => Response.json({ certificates: [], next_cursor: null });

/** Replaces the registry: requests get the replies in order, and every further request gets the last reply again. */
function replyWith(...replies: (() => Response)[]) {
  const fetch = vi.fn(async () => (replies.length > 1 ? replies.shift() : replies[0])?.());
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

beforeEach(() => {
  vi.mocked(delay).mockClear();
  return () => vi.unstubAllGlobals();
});

test.each([
  ["the number of seconds in Retry-After", "3", 3_000],
  ["5 s if Retry-After is missing", undefined, 5_000],
  ["5 s if Retry-After is a date", "Sun, 22 Nov 2026 10:00:00 GMT", 5_000],
  ["at least 1 s", "0.2", 1_000],
])("waits %s before it retries a request", async (_, retryAfter, waitMs) => {
  replyWith(unavailable(retryAfter), emptyPage);
  await reconcile(newCopy(), "http://registry.test", "key");
  expect(vi.mocked(delay).mock.calls).toEqual([[waitMs]]);
});

test("a message does not replace an equally old copy from the list, which may have been read after the store's settings changed", async () => {
  const certificate = (second: number, verifyUrl: string) => {
    return { id: "crt_1", status: "active", updatedAt: `2026-03-01T12:00:0${second}.000Z`, expiresAt: null, verifyUrl };
  };
  const messageOf = (one: ReturnType<typeof certificate>) =>
    Buffer.from(JSON.stringify({ version: 2, certificate: one }));
  replyWith(() => Response.json({ certificates: [certificate(1, "new")], next_cursor: null }));
  const copy = newCopy();
  await reconcile(copy, "http://registry.test", "key");
  saveMessage(copy, messageOf(certificate(1, "old")));
  expect(copy.certificates.get("crt_1")).toEqual(certificate(1, "new"));
  saveMessage(copy, messageOf(certificate(2, "newer")));
  expect(copy.certificates.get("crt_1")).toEqual(certificate(2, "newer"));
});

test("gives up after ten attempts", async () => {
  const fetch = replyWith(unavailable("1"));
  await expect(reconcile(newCopy(), "http://registry.test", "key")).rejects.toThrow("status 503: busy");
  expect(fetch).toHaveBeenCalledTimes(10);
});
