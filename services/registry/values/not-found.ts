import { ServiceError } from "#shared/errors/service-error.ts";

/** Returns the error for something that does not exist, or that belongs to another store. */
export function notFound(
  what:
    | "API key"
    | "certificate"
    | "event"
    | "image"
    | "import"
    | "listen token"
    | "logo"
    | "product"
    | "report"
    | "sample"
    | "store"
    | "trigger",
): ServiceError {
  return new ServiceError("not_found", `There is no such ${what}.`);
}
