import { ServiceError } from "#shared/errors/service-error.ts";
import { parseListQuery } from "./list-query.ts";

/** Returns the error with which a query is rejected. @throws Error when it is accepted or fails otherwise */
export function refusalOf(rawQuery: string): ServiceError {
  try {
    parseListQuery(rawQuery);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`accepted: ${rawQuery}`);
}
