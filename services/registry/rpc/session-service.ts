import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { OpenSessionRequest, SessionService } from "#gen/settings/v1/session_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { type OpenSessionDeps, openSession, type SignInProof } from "../sessions/open-session.ts";
import { secretHash } from "../sessions/session-secrets.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { sessionOf } from "./call-scope.ts";

interface SessionServiceDeps extends OpenSessionDeps {
  /** Bounds the sign-ins, which are in no session yet. */
  readonly sessionCalls: Pick<LoadShedder, "run">;
}

/** Implements SessionService: translates between its messages and the domain. */
export function sessionService(deps: SessionServiceDeps): ServiceImpl<typeof SessionService> {
  const { sessions, stores, sessionCalls } = deps;
  return {
    async openSession({ proof: sent }, context) {
      const proof = proofOf(sent);
      const store = secretHash(Object.values(proof).join());
      const { token, expiresAt } = await openSession(deps, proof, (work) =>
        sessionCalls.run({ store, ...callLimitsOf(context) }, work),
      );
      return { sessionToken: token, expiresAt: timestampFromDate(expiresAt) };
    },

    async getSession(_request, context) {
      const { storeId, actor, expiresAt } = sessionOf(context);
      const { shop, settings } = await stores.findStore({ storeId });
      const storeName = settings.displayName ?? shop;
      return { shop, storeName, language: settings.language, actor, expiresAt: timestampFromDate(expiresAt) };
    },

    async closeSession({ sessionToken }, context) {
      const store = secretHash(sessionToken);
      await sessionCalls.run({ store, ...callLimitsOf(context) }, () => sessions.revoke(store));
      return {};
    },
  };
}

function proofOf(proof: OpenSessionRequest["proof"]): SignInProof {
  if (proof.case === "linkSecret") return { linkSecret: proof.value };
  if (proof.case === "platformToken") return { platformToken: proof.value };
  throw badRequest("proof", "is missing: send a link_secret or a platform_token");
}
