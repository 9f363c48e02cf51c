import { eventNames } from "#shared/events/event-name.ts";
import { errorResponses, httpErrors, jsonContent } from "./error-responses.ts";
import { responseHeaders } from "./response-headers.ts";
import { type JsonObject, objectSchema, reference, text, time } from "./schema.ts";

const security = [{ listenToken: [] }];
const tags = ["Development"];

const position = (description: string) => ({
  type: "integer",
  minimum: 0,
  maximum: 4_294_967_295,
  description,
  examples: [17] as const,
});

/** The schema of the response of {@link listenOperations}, as a member of `components.schemas`. */
export const listenSchemas: JsonObject = {
  ListenPage: objectSchema("Copies of webhook messages.", {
    messages: {
      type: "array",
      description: "At most 100, in the order in which they happened.",
      items: objectSchema("A copy of a webhook message in format v2.", {
        headers: {
          type: "object",
          description: "The headers of a delivery, as far as they do not belong to its connection.",
          examples: [{ "Content-Type": "application/json" }],
        },
        body: text("The body, whose UTF-8 bytes are signed.", "{}"),
      }),
      examples: [[]],
    },
    next: position("Value of `after` for the next request."),
    missed: position(
      "Number of messages after the position that the response cannot contain: no longer kept, not known to the replica yet, or tests sent to other tokens of the store.",
    ),
    signing_secret: text("The secret that signs the messages of this token.", "crs_…", { pattern: "^crs_" }),
    expires_at: time("When the token expires."),
  }),
};

/** The operations of `/v1/listen` (INTERFACE.md §4.6). */
export const listenOperations: JsonObject = {
  get: {
    operationId: "listen",
    summary: "Listen for webhook messages during development",
    description:
      "Returns copies of the webhook messages since a position, or waits for one for up to 20 seconds. Without `after`, returns the current position at once. Neither takes messages from the webhook nor counts as a delivery.",
    tags,
    security,
    parameters: [
      {
        name: "after",
        in: "query",
        description: "The `next` of the previous response.",
        schema: { type: "integer", minimum: 0, maximum: 4_294_967_295 },
      },
    ],
    responses: {
      "200": {
        description: "The messages.",
        headers: responseHeaders([]),
        content: jsonContent(reference("schemas", "ListenPage")),
      },
      ...errorResponses([...httpErrors, 401, 429, 500, 503], "get"),
    },
  },
  post: {
    operationId: "triggerSample",
    summary: "Send a test message to those who listen",
    description: "Sends a message about a sample certificate to the listeners of the token.",
    tags,
    security,
    parameters: [
      {
        name: "event",
        in: "query",
        required: true,
        description: "What the message reports.",
        schema: { type: "string", enum: eventNames },
      },
    ],
    responses: {
      "202": {
        description: "The message is on its way.",
        headers: responseHeaders([]),
        content: jsonContent(
          objectSchema("The message.", { id: text("Its id.", "tst_0123456789abcdefghjkmnpq", { pattern: "^tst_" }) }),
        ),
      },
      ...errorResponses([...httpErrors, 401, 429, 500, 503], "post"),
    },
  },
};
