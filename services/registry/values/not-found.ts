import { ServiceError } from "#shared/errors/service-error.ts";

/** Returns the error for an unknown store. */
export function storeNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such store.");
}

/** Returns the error for an unknown certificate, including a certificate of another store. */
export function certificateNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such certificate.");
}

/** Returns the error for an unknown sample, including a sample of another store. */
export function sampleNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such sample.");
}

/** Returns the error for a logo that no store has. */
export function logoNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such logo.");
}

/** Returns the error for a product that is neither in the store's catalogue nor has a display. */
export function productNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such product.");
}

/** Returns the error for an image that no product has. */
export function productImageNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such image.");
}

/** Returns the error for an import that the store does not have. */
export function importNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such import.");
}

/** Returns the error for an API key that the store does not have. */
export function apiKeyNotFound(): ServiceError {
  return new ServiceError("not_found", "The store has no such API key.");
}

/** Returns the error for a listen token that the store does not have, and for one that is not valid. */
export function listenTokenNotFound(): ServiceError {
  return new ServiceError("not_found", "There is no such listen token.");
}
