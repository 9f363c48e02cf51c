/** How long records are kept, in days. */
export interface Retention {
  /** The delivery log, counted from the claim. */
  readonly deliveryLogDays: number;
  /** Quarantined messages. */
  readonly quarantineDays: number;
  /** Problem reports, counted from the day they were closed; open ones are kept. */
  readonly closedReportDays: number;
  /** Messages and orders of storefront platforms, counted from their last change. */
  readonly storefrontDays: number;
}

/** The retention of an installation that does not configure it. */
export const defaultRetention: Retention = {
  deliveryLogDays: 30,
  quarantineDays: 30,
  closedReportDays: 1_095,
  storefrontDays: 90,
};
