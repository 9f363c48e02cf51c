import type { ListenToken } from "./listen-tokens.ts";

/** The number of messages that are kept of each store whose messages are listened to; older ones are replaced. */
export const keptMessagesMax = 1_000;

/** Maximum number of messages that one read returns. */
export const messagesPerReadMax = 100;

/** What a listener reads at a position. */
export interface ListenPage {
  /** Encoded events.v1.CertificateEvent, in order. */
  readonly events: readonly Uint8Array[];
  /** Where the next page begins. */
  readonly position: number;
  /** Number of messages between the two positions that are no longer kept. */
  readonly missedCount: number;
}

/**
 * Storage of the messages that listeners receive. The change's transaction numbers its events in the store, so that a
 * reader sees how many it has missed.
 */
export interface ListenMessages {
  /** Returns the valid token with this hash; undefined if there is none. */
  findToken(tokenHash: Uint8Array): Promise<ListenToken | undefined>;
  /**
   * Returns the messages for a token's listeners after a position.
   *
   * @param after undefined for a page without messages at the current position
   */
  read(token: ListenToken, after: number | undefined): Promise<ListenPage>;
}
