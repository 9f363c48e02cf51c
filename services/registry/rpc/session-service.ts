import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OpenSessionRequest, SessionService } from "#gen/settings/v1/session_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { LoadShedder } from "../load/load-shedder.ts";
import { type OpenSessionDeps, openSession, type SignInProof } from "../sessions/open-session.ts";
import { secretHash } from "../sessions/session-secrets.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { sessionOf } from "./call-scope.ts";
import { type OfferedService, offer } from "./offered-service.ts";

interface SessionServiceDeps extends OpenSessionDeps {
  /** Bounds what sign-ins, which are in no session yet, and sign-outs read. */
  readonly sessionCalls: Pick<LoadShedder, "run">;
  /** Bounds what they write. */
  readonly sessionChanges: Pick<LoadShedder, "run">;
}

/** Implements SessionService: translates between its messages and the domain. */
export function sessionService(deps: SessionServiceDeps): OfferedService {
  const { sessions, stores, sessionCalls, sessionChanges } = deps;
  return offer(SessionService, {
    async openSession({ proof: sent }, context) {
      const proof = proofOf(sent);
      const caller = secretHash(Object.values(proof).join());
      const { token, expiresAt } = await openSession(deps, proof, {
        read: (work) => sessionCalls.run({ store: caller, ...callLimitsOf(context) }, work),
        change: (store, work) => sessionChanges.run({ store, ...callLimitsOf(context) }, work),
      });
      return { sessionToken: token, expiresAt: timestampFromDate(expiresAt) };
    },

    async getSession(_request, context) {
      const { storeId, actor, expiresAt } = sessionOf(context);
      const { shop, settings } = await stores.findStore({ storeId });
      const storeName = settings.displayName ?? shop;
      return { shop, storeName, language: settings.language, actor, expiresAt: timestampFromDate(expiresAt) };
    },

    async closeSession({ sessionToken }, context) {
      const tokenHash = secretHash(sessionToken);
      const limits = callLimitsOf(context);
      const session = await sessionCalls.run({ store: tokenHash, ...limits }, () => sessions.find(tokenHash));
      if (session === undefined) return {};
      await sessionChanges.run({ store: session.storeId, ...limits }, () => sessions.revoke(tokenHash));
      return {};
    },
  });
}

function proofOf(proof: OpenSessionRequest["proof"]): SignInProof {
  if (proof.case === "linkSecret") return { linkSecret: proof.value };
  if (proof.case === "platformToken") return { platformToken: proof.value };
  throw badRequest("proof", "is missing: send a link_secret or a platform_token");
}
