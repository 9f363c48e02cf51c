/** Why and by whom a change was made; stored in the certificate's history. */
export interface Origin {
  /** One word: `order`, `manual`, `import`, `refund`, `order_cancelled`, `in_app`, `verification_page`. */
  readonly cause: string;
  readonly actor: string;
}
