import { quantile, type Row, rate, sumBy } from "./panels.ts";

/** The dashboard row for workflow triggers and automation events. */
export const automationRow: Row = {
  title: "Workflow triggers and automation events",
  panels: [
    {
      title: "Trigger attempts",
      description: "Rate of attempts to send an event to a trigger, by outcome. Most failed attempts are retried.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("trigger_attempts_total")), legend: "{{outcome}}" }],
    },
    {
      title: "Trigger attempt duration: 99th percentile",
      description:
        "Time from the start of an attempt to send an event to a trigger until the receiver's status line arrives or the attempt fails. The slowest 1 % take longer.",
      unit: "s",
      queries: [{ expr: quantile(0.99, "trigger_attempt_duration_seconds", ""), legend: "99 %" }],
    },
    {
      title: "Events waiting to be sent to triggers",
      description:
        "Events waiting to be sent to enabled triggers, attempts in progress, and disabled triggers. While a receiver fails, its events are retried, by default for up to 24 hours.",
      unit: "short",
      queries: [
        { expr: "max(registry_trigger_events_waiting{})", legend: "waiting" },
        { expr: "sum(trigger_attempts_in_flight{})", legend: "attempts in progress" },
        { expr: "max(registry_triggers_disabled{})", legend: "disabled triggers" },
      ],
    },
    {
      title: "Age of the oldest waiting event",
      description:
        "Age of the oldest event waiting to be sent to an enabled trigger, and of the oldest automation event waiting to be published.",
      unit: "s",
      queries: [
        { expr: "max(registry_trigger_oldest_age_seconds{})", legend: "triggers" },
        { expr: "max(registry_automation_oldest_age_seconds{})", legend: "automation events" },
      ],
    },
  ],
};
