import type { Messages } from "./messages.ts";

/** English; a test compares the other languages with it. */
export const en: Messages = {
  languageName: "English",
  certificate: "Certificate of Authenticity",
  states: {
    active: { name: "Valid", explanation: "This certificate is genuine and valid." },
    revoked: { name: "Revoked", explanation: "The store has revoked this certificate. It is no longer valid." },
    expired: { name: "Expired", explanation: "This certificate is genuine, but it has expired." },
    sample: { name: "Sample", explanation: "This is a sample. It does not certify any product." },
  },
  labels: {
    serial: "Certificate number",
    variant: "Variant",
    edition: "Edition",
    issued: "Issued",
    validUntil: "Valid until",
    owner: "Owner",
    revoked: "Revoked",
    reason: "Reason",
  },
  unlimited: "No expiry date",
  issuedBy: (store) => `Issued by ${store}`,
  revocationReasons: {
    Refund: "Refund",
    "Order cancelled": "Order cancelled",
    "Revoked by the store": "Revoked by the store",
  },
  scanToVerify: "Scan to verify",
  print: "Print certificate",
  language: "Language",
  skipToContent: "Skip to content",
  report: {
    link: "Report a problem",
    title: "Report a problem",
    introduction: (store) => `Something doesn't look right? Your report goes directly to ${store}.`,
    kindLabel: "What is the problem?",
    kinds: {
      counterfeit: "I think the product is a counterfeit",
      mismatch: "The product doesn't match the certificate",
      stolen: "The product was lost or stolen",
      wrong_details: "The certificate contains a mistake",
      other: "Something else",
    },
    contentLabel: "Description",
    contentHint: (max) => `What did you notice, and where did you get the product? Up to ${max} characters.`,
    emailLabel: "Email address (optional)",
    emailHint: "Only if you would like the store to reply.",
    trapLabel: "Leave this field empty",
    submit: "Send report",
    back: "Back to the certificate",
    mistakes: { one: "Please correct one entry:", other: "Please correct these entries:" },
    kindMissing: "Choose the kind of problem.",
    contentMissing: "Describe the problem.",
    contentTooLong: (max) => `Shorten the description to ${max} characters.`,
    emailInvalid: "Enter a valid email address, or leave the field empty.",
    formExpired: "We could not accept the form. Please check your entries and send it again.",
    alreadySent: "You have already sent a report with this form. To send this one as well, send the form again.",
    limitReached:
      "Too many reports have been sent about this certificate or from your network. Please try again later.",
    thanksTitle: "Thank you for your report",
    thanks: (store) => `We have passed it on to ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificate not found",
      explanation:
        "No certificate exists at this address. Check that the link is complete, or scan the QR code again. If the link came with a product that you bought, contact the seller.",
    },
    unavailable: {
      title: "Temporarily unavailable",
      explanation: "We cannot check the certificate right now. Please try again in a few seconds.",
    },
    limited: {
      title: "Too many requests",
      explanation:
        "Many invalid links have been opened from your network in a short time. Please wait a moment and try again.",
    },
    invalid: { title: "Request not understood", explanation: "Please go back to the certificate and try again." },
    internal: { title: "Something went wrong", explanation: "This is our fault. Please try again later." },
  },
};
