import { badRequest } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { mediaTypeOf, receiveBody } from "../http/receive-body.ts";
import { SharedBudget } from "../limits/shared-budget.ts";

const mib = 1_024 * 1_024;
// Each of a report's 4,000 characters takes up to nine bytes in percent-encoding.
const bytesMax = 64 * 1_024;
/** Limits on the memory for forms that are being received or handled. Anyone can send forms, to any path. */
const memoryMax = { all: 32 * mib, client: 2 * mib } as const;
// Many slow clients could otherwise take up the memory for everybody's forms; most forms have a few kilobytes.
const receiveMs = 5_000;
const formType = "application/x-www-form-urlencoded";

/**
 * Collects the body of a form (`application/x-www-form-urlencoded`) as `state.form`; see {@link receiveBody}. The
 * promise rejects with `bad_request` for a form that is too large, too slow or incomplete.
 */
export function collectForms(): EdgeMiddleware {
  const budget = new SharedBudget();
  return ({ req, res, method, state }, next) => {
    if (method !== "POST" || mediaTypeOf(req) !== formType) return next();
    const room = budget.roomIn([
      { key: "all", max: memoryMax.all },
      { key: `client ${state.client.networks.at(-1)}`, max: memoryMax.client },
    ]);
    const tooLarge = () => badRequest("form", "is too large");
    const body = receiveBody(req, res, { named: "form", bytesMax, receiveMs, room, tooLarge });
    state.form = body.then((content) => new URLSearchParams(content.toString("utf8")));
    state.form.catch(() => undefined);
    return next();
  };
}
