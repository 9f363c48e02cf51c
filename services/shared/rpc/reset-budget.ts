import { type Bucket, type BucketPolicy, takeToken } from "../limits/token-bucket.ts";

// Below the limits of Node's HTTP/2 server, which closes a session after a burst of more than 1,000 resets or at a
// sustained rate above 33 resets a second.
const policy: BucketPolicy = { capacity: 500, tokensPerSecond: 25 };

/**
 * Limits how many calls a client cancels: each cancelled call resets a stream, and a server that receives too many
 * resets closes the connection with all calls in progress (the defence against CVE-2023-44487).
 */
export class ResetBudget {
  #bucket: Bucket | undefined;
  readonly #nowMs: () => number;

  /** @param nowMs monotonic time in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Takes one reset from the budget. @returns whether one was left; if not, the call must run to its end */
  take(): boolean {
    const { bucket, waitSeconds } = takeToken(policy, this.#bucket, this.#nowMs());
    this.#bucket = bucket;
    return waitSeconds === 0;
  }
}
