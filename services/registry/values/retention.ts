/** How long records are kept, in days. */
export interface Retention {
  /** The log of webhook deliveries, counted from the claim, and events for triggers, counted from their occurrence. */
  readonly deliveryLogDays: number;
  /** Quarantined messages. */
  readonly quarantineDays: number;
  /** Problem reports, counted from their closing; open ones are kept. */
  readonly closedReportDays: number;
  /** Messages from storefront platforms, counted from their receipt, and orders, counted from their last change. */
  readonly storefrontDays: number;
}

/** The retention of an installation that does not configure it. */
export const defaultRetention: Retention = {
  deliveryLogDays: 30,
  quarantineDays: 30,
  closedReportDays: 1_095,
  storefrontDays: 90,
};
