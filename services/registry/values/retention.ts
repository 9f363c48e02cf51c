/** How long records are kept, in days. */
export interface Retention {
  /** Webhook deliveries, counted from their claim, and trigger deliveries, counted from the event. */
  readonly deliveryLogDays: number;
  /** Quarantined messages, counted from when they were quarantined. */
  readonly quarantineDays: number;
  /** Closed problem reports, counted from when they were closed; open reports are not deleted. */
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
