/** Why and by whom something happened; kept in the certificate's history. */
export interface Origin {
  /** In one word: `order`, `manual`, `import`, `refund`, `order_cancelled`, `in_app`, `verification_page`. */
  readonly cause: string;
  /** Who did it. */
  readonly actor: string;
}
