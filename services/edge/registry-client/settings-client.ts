import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { ApiKeySettingsService } from "#gen/settings/v1/api_key_settings_service_pb.js";
import { CertificateSettingsService } from "#gen/settings/v1/certificate_settings_service_pb.js";
import { ImportSettingsService } from "#gen/settings/v1/import_settings_service_pb.js";
import { SessionService } from "#gen/settings/v1/session_service_pb.js";
import { StoreSettingsService } from "#gen/settings/v1/store_settings_service_pb.js";
import { TriggerSettingsService } from "#gen/settings/v1/trigger_settings_service_pb.js";
import { WebhookSettingsService } from "#gen/settings/v1/webhook_settings_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { createGrpcClient, type GrpcClientOptions } from "#shared/rpc/grpc-client.ts";

/** What proves who signs in: the secret of a sign-in link, or a session token of the storefront platform. */
export type SignInProof =
  | { readonly case: "linkSecret"; readonly value: string }
  | { readonly case: "platformToken"; readonly value: string };

/** A session that was just opened. */
export interface OpenedSession {
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * The services of the settings, called in one session: the registry derives the store and the actor from it. Methods
 * throw ServiceError: `unauthorized` once the session has ended, `unavailable`, `internal` for a fault that the
 * merchant can do nothing about, or what the registry refuses.
 */
export interface SettingsCalls {
  readonly session: Client<typeof SessionService>;
  readonly store: Client<typeof StoreSettingsService>;
  readonly webhook: Client<typeof WebhookSettingsService>;
  readonly triggers: Client<typeof TriggerSettingsService>;
  readonly keys: Client<typeof ApiKeySettingsService>;
  readonly certificates: Client<typeof CertificateSettingsService>;
  readonly imports: Client<typeof ImportSettingsService>;
}

/** The part of the registry's API that the settings use. */
export interface SettingsClient {
  /** @throws ServiceError `unauthorized` for a proof that is not valid, `unavailable` */
  openSession(proof: SignInProof): Promise<OpenedSession>;
  /** @param token the token of the session; it need not be valid */
  inSession(token: string): SettingsCalls;
}

const merchantCodes: readonly string[] = [
  ...["unauthorized", "not_found", "bad_request", "failed_precondition", "conflict", "rate_limited", "unavailable"],
];

/**
 * Creates a client for the registry's services for settings. It connects on the first call.
 *
 * @param options `timeoutMs` is the deadline of each call
 */
export function connectSettings(
  options: Pick<GrpcClientOptions, "address" | "security"> & { readonly timeoutMs: number },
): SettingsClient & { close(): void } {
  const transport = createGrpcClient(options);
  const signedOut = createClient(SessionService, withSession("", transport));
  return {
    async openSession(proof) {
      const { sessionToken, expiresAt } = await signedOut.openSession({ proof });
      if (expiresAt === undefined) throw new Error("the registry returned a session without an expiry");
      return { token: sessionToken, expiresAt: timestampDate(expiresAt) };
    },
    inSession(token) {
      const inSession = withSession(token, transport);
      return {
        session: createClient(SessionService, inSession),
        store: createClient(StoreSettingsService, inSession),
        webhook: createClient(WebhookSettingsService, inSession),
        triggers: createClient(TriggerSettingsService, inSession),
        keys: createClient(ApiKeySettingsService, inSession),
        certificates: createClient(CertificateSettingsService, inSession),
        imports: createClient(ImportSettingsService, inSession),
      };
    },
    close: () => transport.close(),
  };
}

/** Wraps a transport so that each call sends the session's token, and throws ServiceErrors. */
function withSession(token: string, transport: Transport): Transport {
  return {
    unary: async (method, signal, timeoutMs, header, input, contextValues) => {
      const headers = new Headers(header);
      headers.set("x-session", token);
      try {
        return await transport.unary(method, signal, timeoutMs, headers, input, contextValues);
      } catch (error) {
        const failure = toServiceError(error);
        if (merchantCodes.includes(failure.code)) throw failure;
        throw new ServiceError("internal", "the registry call failed", { cause: error });
      }
    },
    stream: () => {
      throw new Error("the settings call no streaming method");
    },
  };
}
