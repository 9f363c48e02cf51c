import type { Messages } from "./messages.ts";

/** Spanish; addresses visitors formally (usted). */
export const es: Messages = {
  languageName: "Español",
  certificate: "Certificado de autenticidad",
  states: {
    active: { name: "Válido", explanation: "Este certificado es auténtico y válido." },
    revoked: { name: "Revocado", explanation: "La tienda ha revocado este certificado. Ya no es válido." },
    expired: { name: "Caducado", explanation: "Este certificado es auténtico, pero ha caducado." },
    sample: { name: "Muestra", explanation: "Esto es una muestra. No certifica ningún producto." },
  },
  labels: {
    serial: "Número de certificado",
    variant: "Variante",
    edition: "Edición",
    issued: "Fecha de emisión",
    validUntil: "Válido hasta",
    owner: "Propietario",
    revoked: "Fecha de revocación",
    reason: "Motivo",
  },
  unlimited: "Sin fecha de caducidad",
  issuedBy: (store) => `Emitido por ${store}`,
  revocationReasons: {
    Refund: "Reembolso",
    "Order cancelled": "Pedido cancelado",
    "Revoked by the store": "Revocado por la tienda",
  },
  scanToVerify: "Escanear para verificar",
  print: "Imprimir certificado",
  language: "Idioma",
  skipToContent: "Ir al contenido",
  report: {
    link: "Informar de un problema",
    title: "Informar de un problema",
    introduction: (store) => `¿Hay algo que no encaja? Su aviso llega directamente a ${store}.`,
    kindLabel: "¿Cuál es el problema?",
    kinds: {
      counterfeit: "Creo que el producto es una falsificación",
      mismatch: "El producto no coincide con el certificado",
      stolen: "El producto se ha perdido o ha sido robado",
      wrong_details: "El certificado contiene un error",
      other: "Otro problema",
    },
    contentLabel: "Descripción",
    contentHint: (max) => `¿Qué ha observado y dónde consiguió el producto? Máximo ${max} caracteres.`,
    emailLabel: "Correo electrónico (opcional)",
    emailHint: "Solo si desea que la tienda le responda.",
    trapLabel: "Deje este campo vacío",
    submit: "Enviar aviso",
    back: "Volver al certificado",
    mistakes: { one: "Corrija un dato:", other: "Corrija estos datos:" },
    kindMissing: "Indique cuál es el problema.",
    contentMissing: "Describa el problema.",
    contentTooLong: (max) => `Reduzca la descripción a ${max} caracteres.`,
    emailInvalid: "Introduzca una dirección de correo válida o deje el campo vacío.",
    formExpired: "No hemos podido aceptar el formulario. Revise los datos y envíelo de nuevo.",
    alreadySent: "Ya ha enviado un aviso con este formulario. Para enviar también este, envíe el formulario de nuevo.",
    limitReached:
      "Se han enviado demasiados avisos sobre este certificado o desde su red. Inténtelo de nuevo más tarde.",
    thanksTitle: "Gracias por su aviso",
    thanks: (store) => `Lo hemos remitido a ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificado no encontrado",
      explanation:
        "No existe ningún certificado en esta dirección. Compruebe que el enlace esté completo o vuelva a escanear el código QR. Si compró un producto con este enlace, consulte al vendedor.",
    },
    unavailable: {
      title: "No disponible temporalmente",
      explanation: "Ahora mismo no podemos comprobar el certificado. Inténtelo de nuevo en unos segundos.",
    },
    limited: {
      title: "Demasiadas solicitudes",
      explanation:
        "Desde su red se han abierto muchos enlaces no válidos en poco tiempo. Espere un momento e inténtelo de nuevo.",
    },
    invalid: { title: "Solicitud no válida", explanation: "Vuelva al certificado e inténtelo de nuevo." },
    internal: { title: "Algo ha salido mal", explanation: "El error es nuestro. Inténtelo de nuevo más tarde." },
  },
};
