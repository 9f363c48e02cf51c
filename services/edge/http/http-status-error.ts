import { ServiceError } from "#shared/errors/service-error.ts";

/** A `bad_request` error with an HTTP status other than 400, such as 417. */
export class HttpStatusError extends ServiceError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("bad_request", message);
    this.name = "HttpStatusError";
    this.status = status;
  }
}
