import { ServiceError } from "#shared/errors/service-error.ts";

/** A `bad_request` whose HTTP status is not 400 but one of HTTP's own, such as 417. */
export class HttpStatusError extends ServiceError {
  /** The HTTP status to answer with. */
  readonly status: number;

  constructor(status: number, message: string) {
    super("bad_request", message);
    this.name = "HttpStatusError";
    this.status = status;
  }
}
