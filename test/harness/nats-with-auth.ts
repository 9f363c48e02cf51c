import { startConfiguredNats } from "./configured-nats.ts";
import type { NatsPermissions } from "./nats-permissions.ts";

/** A NATS user and the subjects that it may use. */
export interface NatsUser extends NatsPermissions {
  readonly user: string;
  readonly password: string;
}

/** Starts a NATS server whose users may use only the given subjects. */
export async function startNatsWithUsers(users: readonly NatsUser[]) {
  const { configure, ...server } = await startConfiguredNats(authorizationOf(users));
  return {
    ...server,
    /** Replaces the users and their permissions, and disconnects the clients whose logins have changed. */
    setUsers: (current: readonly NatsUser[]) => configure(authorizationOf(current)),
  };
}

function authorizationOf(users: readonly NatsUser[]): string {
  const entries = users.map(({ user, password, publish, subscribe }) =>
    JSON.stringify({ user, password, permissions: { publish, subscribe } }),
  );
  return `authorization { users: [${entries.join(", ")}] }`;
}
