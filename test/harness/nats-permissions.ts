import { tableRows } from "../guard/repository.ts";

/** The subjects that a NATS user may use. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

const rows = tableRows("deploy/OPERATIONS.md", "subject");
const subjectsWith = (column: number, right: string) =>
  rows.flatMap((row) => (row[column]?.split(", ").includes(right) ? [row[0] ?? ""] : []));
const columnOf = (column: number): NatsPermissions => ({
  publish: subjectsWith(column, "publish"),
  subscribe: subjectsWith(column, "subscribe"),
});

/** The permissions that deploy/OPERATIONS.md lists for each service. */
export const documentedPermissions = { registry: columnOf(1), notifier: columnOf(2) };

/** The permissions of a test that observes the servers. */
export const allPermissions: NatsPermissions = { publish: [">"], subscribe: [">"] };
