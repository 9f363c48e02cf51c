import { type Agent, get, type IncomingHttpHeaders } from "node:http";

/** One request and its response. Times are Unix timestamps in milliseconds. */
export interface Exchange {
  readonly isAdmitted: boolean;
  /** Taken before the first byte was sent. */
  readonly sentAt: number;
  /** Taken after the head of the response was read. */
  readonly receivedAt: number;
}

const replyWithinMs = 30_000;

/**
 * Requests a page.
 *
 * @returns the request and its response; undefined for a 503 with Retry-After, which means that the service shed the
 * request and does not count it against the limit
 * @throws Error for a missing response, a status other than 200, 429 and 503, or wrong headers of a 429 or 503
 */
export function sendRequest(
  url: string,
  apiKey: string,
  agent: Agent,
  windowMs: number,
): Promise<Exchange | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const sentAt = Date.now();
    const request = get(url, { agent, headers, timeout: replyWithinMs }, (reply) => {
      const receivedAt = Date.now();
      const { statusCode = 0 } = reply;
      const problem = problemOf(statusCode, reply.headers, windowMs);
      reply.resume();
      reply.once("error", reject);
      reply.once("end", () =>
        problem === undefined
          ? resolve(statusCode === 503 ? undefined : { isAdmitted: statusCode === 200, sentAt, receivedAt })
          : reject(new Error(problem)),
      );
    });
    request.once("timeout", () => request.destroy(new Error(`no response within ${replyWithinMs} ms`)));
    request.once("error", reject);
  });
}

function problemOf(status: number, headers: IncomingHttpHeaders, windowMs: number): string | undefined {
  if (status === 200) return undefined;
  if (status === 503) return /^[1-9]\d*$/.test(headers["retry-after"] ?? "") ? undefined : "a 503 without Retry-After";
  if (status !== 429) return `unexpected status ${status}`;
  const seconds = Number(headers["retry-after"]);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > Math.ceil(windowMs / 1_000))
    return `wrong Retry-After in a 429: ${headers["retry-after"]}`;
  if (headers.ratelimit !== `"default";r=0;t=${seconds}`) return `wrong RateLimit in a 429: ${headers.ratelimit}`;
  const policy = headers["ratelimit-policy"];
  return /^"default";q=\d+;w=\d+$/.test(String(policy)) ? undefined : `wrong RateLimit-Policy in a 429: ${policy}`;
}
