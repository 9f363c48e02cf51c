// Patterns of the reasons for which the registry refuses a change, a file or an order. The first matching pattern, in
// the sequence given by `order` below, determines the kind; reason-text.test.ts detects reasons without a pattern.
const patterns = {
  // Invalid text
  empty: /\bis empty\b|has no title|no characters after #|must have at least/,
  tooLong: /is longer than|has more than|must be 1 to \d+ characters/,
  tooShort: /is shorter than/,
  characters: /a control character|a space or|half of a character/,
  email: /not an e-mail address/,
  // Invalid URLs
  noHttps: /does not begin with https/,
  credentials: /contains a user name or password/,
  fragment: /contains a fragment/,
  query: /contains a query/,
  port: /\bport .*from 1 to/,
  notPublic: /non-public address|internal domain|blocked by the operator|without a domain/,
  notUrl: /is not (a URL|of the form https)|an invalid (address|host name)|begins or ends with a hyphen/,
  // Refused changes
  revoked: /^The certificate is revoked/,
  expired: /^The certificate has expired/,
  alreadyRevoked: /^The certificate is already revoked/,
  alreadyActive: /^The certificate is already active/,
  keyReplaced: /^The key has already been rolled/,
  outOfOrder: /rotation is (already )?in progress|messages are not signed|next secret is/,
  changedMeanwhile: /was changed concurrently/,
  noWebhook: /^(The store has no webhook|No webhook URL is set)/,
  inDelivery: /^The event is still being delivered/,
  sentByHand: /cannot be redelivered/,
  usedForm: /^idempotency_key/,
  date: /must be later than|must be a date/,
  language: /^language must be/,
  soldOut: /sold out/,
  manyImports: /^The store has created \d+ imports/,
  importStarted: /^The import has already been started/,
  // Rejected lines of a file
  quantity: /^The quantity is not|^order\.unit/,
  paidAt: /time of payment/,
  status: /^The financial status/,
  partlyRefunded: /is partially refunded/,
  orderId: /^The order id is not|^order\.id/,
  spreadsheetId: /^A spreadsheet program/,
  orderName: /^The order name does not|^order\.name/,
  ambiguousOrder: /^(The order|Order) .* has the same|a different order id|^No readable row|^Two orders|too far below/,
  quotation: /quotation mark/,
  cells: /^The row has .* cells/,
  refused: /^The registry refused/,
  // Rejected files
  noColumn: /^The header lacks/,
  columnTwice: /^The header has the column/,
  notUtf8: /is not UTF-8/,
  noRows: /^The file is empty/,
  longRow: /^The row .* (is larger than \d+ KiB|has more than .* cells)/,
  manyItems: /^An import takes at most/,
  rejectsFile: /^This is a rejects file/,
  fileGone: /^The file is no longer stored/,
  // Problems with orders and messages of the storefront platform, and internal errors, including those of imports
  testOrder: /^This is a test order/,
  noBuyer: /no e-mail address/,
  leftover: /match(es)? no line of the order/,
  unknownTags: /^The rules depend on the tags/,
  manyUnits: /^Only the first .* units/,
  unreadable: /^The body is not JSON|does not have the expected form/,
  internalError: /^An internal error/,
  importFailed: /^The import failed/,
} as const satisfies Readonly<Record<string, RegExp>>;

/** A kind of reason, for which each language has one text. */
export type ReasonKind = keyof typeof patterns;

/** The text for each kind of reason, in one language. */
export type ReasonTexts = Readonly<Record<ReasonKind, string>>;

/** All kinds of reasons. */
export const reasonKinds = Object.keys(patterns).filter((kind): kind is ReasonKind => Object.hasOwn(patterns, kind));

/** Returns the kind of a reason; undefined for a reason that this version does not know. */
export function reasonKind(reason: string): ReasonKind | undefined {
  return order.find((kind) => patterns[kind].test(reason));
}

// Checked first, because reasons of these kinds also match a more general pattern, such as `quotation` or `empty`.
const first: readonly ReasonKind[] = [
  "unknownTags",
  "noRows",
  "longRow",
  "soldOut",
  "partlyRefunded",
  "quantity",
  "orderId",
  "usedForm",
];
const order = [...first, ...reasonKinds.filter((kind) => !first.includes(kind))];
