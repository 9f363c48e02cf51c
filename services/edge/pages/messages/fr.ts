import type { Messages } from "./messages.ts";

/** French; addresses visitors formally (vous). */
export const fr: Messages = {
  languageName: "Français",
  certificate: "Certificat d’authenticité",
  states: {
    active: { name: "Valide", explanation: "Ce certificat est authentique et valide." },
    revoked: { name: "Révoqué", explanation: "La boutique a révoqué ce certificat. Il n’est plus valide." },
    expired: { name: "Expiré", explanation: "Ce certificat est authentique, mais il a expiré." },
    sample: { name: "Spécimen", explanation: "Ceci est un spécimen. Il ne certifie aucun produit." },
  },
  labels: {
    serial: "Numéro du certificat",
    variant: "Variante",
    edition: "Édition",
    issued: "Délivré le",
    validUntil: "Valable jusqu’au",
    owner: "Propriétaire",
    revoked: "Révoqué le",
    reason: "Motif",
  },
  unlimited: "Sans limite de validité",
  issuedBy: (store) => `Délivré par ${store}`,
  revocationReasons: {
    Refund: "Remboursement",
    "Order cancelled": "Commande annulée",
    "Revoked by the store": "Révoqué par la boutique",
  },
  scanToVerify: "Scanner pour vérifier",
  print: "Imprimer le certificat",
  language: "Langue",
  skipToContent: "Aller au contenu",
  report: {
    link: "Signaler un problème",
    title: "Signaler un problème",
    introduction: (store) =>
      `Quelque chose vous semble anormal ? Votre signalement est transmis directement à ${store}.`,
    kindLabel: "Quel est le problème ?",
    kinds: {
      counterfeit: "Je pense que le produit est une contrefaçon",
      mismatch: "Le produit ne correspond pas au certificat",
      stolen: "Le produit a été perdu ou volé",
      wrong_details: "Le certificat contient une erreur",
      other: "Autre chose",
    },
    contentLabel: "Description",
    contentHint: (max) => `Qu’avez-vous remarqué, et où avez-vous acheté le produit ? ${max} caractères au maximum.`,
    emailLabel: "Adresse e-mail (facultatif)",
    emailHint: "Uniquement si vous souhaitez une réponse de la boutique.",
    trapLabel: "Laissez ce champ vide",
    submit: "Envoyer le signalement",
    back: "Retour au certificat",
    mistakes: { one: "Veuillez corriger un champ :", other: "Veuillez corriger les champs suivants :" },
    kindMissing: "Indiquez la nature du problème.",
    contentMissing: "Décrivez le problème.",
    contentTooLong: (max) => `Limitez la description à ${max} caractères.`,
    emailInvalid: "Saisissez une adresse e-mail valide ou laissez le champ vide.",
    formExpired: "Le formulaire n’a pas pu être accepté. Vérifiez vos informations, puis envoyez-le à nouveau.",
    alreadySent:
      "Vous avez déjà envoyé un signalement avec ce formulaire. Pour envoyer aussi celui-ci, envoyez à nouveau le formulaire.",
    limitReached:
      "Trop de signalements ont été envoyés au sujet de ce certificat ou depuis votre réseau. Veuillez réessayer plus tard.",
    thanksTitle: "Merci pour votre signalement",
    thanks: (store) => `Nous l’avons transmis à ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificat introuvable",
      explanation:
        "Il n’existe aucun certificat à cette adresse. Vérifiez que le lien est complet ou scannez à nouveau le code QR. Si vous avez acheté un produit avec ce lien, renseignez-vous auprès du vendeur.",
    },
    unavailable: {
      title: "Momentanément indisponible",
      explanation: "Le certificat ne peut pas être vérifié pour le moment. Veuillez réessayer dans quelques secondes.",
    },
    limited: {
      title: "Trop de requêtes",
      explanation:
        "De nombreux liens non valides ont été ouverts depuis votre réseau en peu de temps. Patientez un instant, puis réessayez.",
    },
    invalid: {
      title: "Requête non valide",
      explanation: "Veuillez revenir au certificat et réessayer.",
    },
    internal: {
      title: "Une erreur s’est produite",
      explanation: "L’erreur vient de notre côté. Veuillez réessayer plus tard.",
    },
  },
};
