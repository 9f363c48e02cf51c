import { quantile, type Row, rate, sumBy } from "./panels.ts";

/** The row about workflow triggers and automation events. */
export const automationRow: Row = {
  title: "Workflow triggers and automation events",
  panels: [
    {
      title: "Trigger attempts",
      description: "Attempts per second to send an event to a trigger, by outcome. Failed attempts are retried.",
      unit: "reqps",
      queries: [{ expr: sumBy("outcome", rate("trigger_attempts_total")), legend: "{{outcome}}" }],
    },
    {
      title: "Trigger attempts: 99th percentile",
      description: "From the start of an attempt to the receiver's status or the failure.",
      unit: "s",
      queries: [{ expr: quantile(0.99, "trigger_attempt_duration_seconds", ""), legend: "99 %" }],
    },
    {
      title: "Events that wait for triggers",
      description: "Events of receivers that fail wait for up to 24 hours.",
      unit: "short",
      queries: [
        { expr: "max(registry_trigger_events_waiting{})", legend: "waiting" },
        { expr: "sum(trigger_attempts_in_flight{})", legend: "attempts in progress" },
        { expr: "max(registry_triggers_disabled{})", legend: "disabled triggers" },
      ],
    },
    {
      title: "Age of the oldest event that waits",
      description: "For an enabled trigger, and for the stream of automation events.",
      unit: "s",
      queries: [
        { expr: "max(registry_trigger_oldest_age_seconds{})", legend: "triggers" },
        { expr: "max(registry_automation_oldest_age_seconds{})", legend: "automation events" },
      ],
    },
  ],
};
