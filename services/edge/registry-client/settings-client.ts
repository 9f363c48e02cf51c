import { getOption } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import { access, Work } from "#gen/registry/v1/access_pb.js";
import { type OpenSessionRequest, SessionService } from "#gen/settings/v1/session_service_pb.js";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { type ClientsOf, createClients } from "#shared/rpc/create-clients.ts";
import { sessionHeader } from "#shared/rpc/scope-metadata.ts";
import { withHeaders } from "#shared/rpc/with-headers.ts";
import { passingOn } from "./passing-on.ts";
import { settingsServices } from "./settings-services.ts";

/** The credential for signing in: the secret of a sign-in link, or a session token from the storefront platform. */
export type SignInProof = Readonly<Exclude<OpenSessionRequest["proof"], { case: undefined }>>;

/** A session that was just opened. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * The registry's services for settings, called with the token of one session, from which the registry derives the store
 * and the actor. Methods throw ServiceError: `unauthorized` once the session has ended, `unavailable`, `internal` for a
 * fault that the merchant can do nothing about, or the registry's error for a request that it refuses.
 */
export type SettingsCalls = ClientsOf<typeof settingsServices>;

interface SessionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onChange?: (() => void) | undefined;
}

const merchantCodes: readonly ErrorCode[] = [
  "unauthorized",
  "not_found",
  "bad_request",
  "failed_precondition",
  "conflict",
  "rate_limited",
  "unavailable",
];

export function settingsClient(channel: Transport) {
  const transport = passingOn(merchantCodes, channel);
  const signedOut = createClient(SessionService, transport);
  return {
    /** @throws ServiceError `unauthorized` for an invalid proof; all other errors as for {@link SettingsCalls} */
    async openSession(proof: SignInProof): Promise<OpenedSession> {
      const { sessionToken, expiresAt } = await signedOut.openSession({ proof });
      if (expiresAt === undefined) throw new Error("the registry returned a session without an expiry");
      return { token: sessionToken, expiresAt: timestampDate(expiresAt) };
    },
    /** Ends a session. No effect if it does not exist or has ended. */
    async closeSession(sessionToken: string): Promise<void> {
      await signedOut.closeSession({ sessionToken });
    },
    /**
     * @param token the token of the session; it need not be valid
     * @param options.signal ends the calls in progress when it aborts. Default: they run to their end
     * @param options.onChange called before each call that may change something is sent. Default: nothing
     */
    inSession: (token: string, options: SessionOptions = {}): SettingsCalls =>
      createClients(settingsServices, withHeaders({ [sessionHeader]: token }, withOptions(options, transport))),
  };
}

/** The part of the registry's API that the settings use. */
export type SettingsClient = ReturnType<typeof settingsClient>;

/** Wraps a transport so that its unary calls follow the options; a signal of a call's own replaces theirs. */
function withOptions({ signal: ended, onChange }: SessionOptions, transport: Transport): Transport {
  return {
    ...transport,
    unary: (method, signal, ...call) => {
      if (getOption(method, access).work === Work.CHANGE) onChange?.();
      return transport.unary(method, signal ?? ended, ...call);
    },
  };
}
