import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { OpenSessionRequest, SessionService } from "#gen/settings/v1/session_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { type OpenSessionDeps, openSession, type SignInProof } from "../sessions/open-session.ts";
import { secretHash } from "../sessions/session-secrets.ts";
import { sessionOf } from "./call-scope.ts";

/** Implements SessionService: translates between its messages and the domain. */
export function sessionService(deps: OpenSessionDeps): ServiceImpl<typeof SessionService> {
  const { sessions, stores } = deps;
  return {
    async openSession({ proof }) {
      const { token, expiresAt } = await openSession(deps, proofOf(proof));
      return { sessionToken: token, expiresAt: timestampFromDate(expiresAt) };
    },

    async getSession(_request, context) {
      const { storeId, actor, expiresAt } = sessionOf(context);
      const { shop, settings } = await stores.findStore({ storeId });
      const storeName = settings.displayName ?? shop;
      return { shop, storeName, language: settings.language, actor, expiresAt: timestampFromDate(expiresAt) };
    },

    async closeSession({ sessionToken }) {
      await sessions.revoke(secretHash(sessionToken));
      return {};
    },
  };
}

function proofOf(proof: OpenSessionRequest["proof"]): SignInProof {
  if (proof.case === "linkSecret") return { linkSecret: proof.value };
  if (proof.case === "platformToken") return { platformToken: proof.value };
  throw badRequest("proof", "is missing: send a link_secret or a platform_token");
}
