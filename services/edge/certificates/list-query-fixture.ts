import { ServiceError } from "#shared/errors/service-error.ts";
import { parseListQuery } from "./list-query.ts";

/** For tests: how a query is refused. @throws Error when it is accepted, or whatever else it failed with */
export function refusalOf(rawQuery: string): ServiceError {
  try {
    parseListQuery(rawQuery);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`accepted: ${rawQuery}`);
}
