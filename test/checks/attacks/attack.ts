import type { SeededRandom } from "../../harness/seeded-random.ts";
import type { BrowserSession } from "../../harness/settings-browser.ts";
import type { TestPlatformApp } from "../../harness/storefront/test-platform-app.ts";
import type { TestPlatform } from "../../harness/test-platform.ts";
import type { FieldValues } from "./example-message.ts";

/** A kind of request of an attack. */
export interface AttackRequest {
  readonly name: string;
  /** The statuses with which the edge refuses it. Default: any but 500. */
  readonly expected?: readonly number[];
  send(random: SeededRandom): Promise<Response>;
}

/** An attack: its requests and how many it sends. */
export interface Attack {
  readonly perSecond: number;
  /** Prepares the requests for a store. */
  open(target: AttackTarget): readonly AttackRequest[] | Promise<readonly AttackRequest[]>;
}

/** The store that is attacked, and the means of the attackers. */
export interface AttackTarget {
  readonly edgeUrl: string;
  readonly apiUrl: string;
  readonly apiToken: string;
  readonly shop: string;
  readonly linkToken: string;
  readonly merchant: BrowserSession;
  /** Signs webhooks for any store. */
  readonly app: TestPlatformApp;
  readonly platform: Pick<TestPlatform, "sign">;
  /** Values of fields of forms and messages: ids of existing entries, and valid texts. */
  readonly values: FieldValues;
}
