import type { Messages } from "./messages.ts";

/** Brazilian Portuguese; addresses visitors as você. */
export const pt: Messages = {
  languageName: "Português",
  certificate: "Certificado de autenticidade",
  states: {
    active: { name: "Válido", explanation: "Este certificado é autêntico e válido." },
    revoked: { name: "Revogado", explanation: "A loja revogou este certificado. Ele não é mais válido." },
    expired: { name: "Expirado", explanation: "Este certificado é autêntico, mas expirou." },
    sample: { name: "Amostra", explanation: "Esta é uma amostra. Ela não certifica nenhum produto." },
  },
  labels: {
    serial: "Número do certificado",
    variant: "Variante",
    edition: "Edição",
    issued: "Emitido em",
    validUntil: "Válido até",
    owner: "Proprietário",
    revoked: "Revogado em",
    reason: "Motivo",
  },
  unlimited: "Sem data de validade",
  issuedBy: (store) => `Emitido por ${store}`,
  revocationReasons: {
    Refund: "Reembolso",
    "Order cancelled": "Pedido cancelado",
    "Revoked by the store": "Revogado pela loja",
  },
  scanToVerify: "Escaneie para verificar",
  print: "Imprimir certificado",
  language: "Idioma",
  skipToContent: "Ir para o conteúdo",
  report: {
    link: "Relatar um problema",
    title: "Relatar um problema",
    introduction: (store) => `Algo parece errado? Seu relato é enviado diretamente para ${store}.`,
    kindLabel: "Qual é o problema?",
    kinds: {
      counterfeit: "Acho que o produto é falsificado",
      mismatch: "O produto não corresponde ao certificado",
      stolen: "O produto foi perdido ou roubado",
      wrong_details: "O certificado contém um erro",
      other: "Outro problema",
    },
    contentLabel: "Descrição",
    contentHint: (max) => `O que você percebeu e onde adquiriu o produto? No máximo ${max} caracteres.`,
    emailLabel: "E-mail (opcional)",
    emailHint: "Somente se você quiser uma resposta da loja.",
    trapLabel: "Deixe este campo vazio",
    submit: "Enviar relato",
    back: "Voltar ao certificado",
    mistakes: { one: "Corrija um campo:", other: "Corrija estes campos:" },
    kindMissing: "Escolha qual é o problema.",
    contentMissing: "Descreva o problema.",
    contentTooLong: (max) => `Reduza a descrição para ${max} caracteres.`,
    emailInvalid: "Informe um e-mail válido ou deixe o campo vazio.",
    formExpired: "Não foi possível aceitar o formulário. Confira os dados e envie-o novamente.",
    alreadySent: "Você já enviou um relato com este formulário. Para enviar também este, envie o formulário novamente.",
    limitReached: "Foram enviados relatos demais sobre este certificado ou a partir da sua rede. Tente mais tarde.",
    thanksTitle: "Obrigado pelo seu relato",
    thanks: (store) => `Nós o encaminhamos para ${store}.`,
  },
  problems: {
    notFound: {
      title: "Certificado não encontrado",
      explanation:
        "Não existe nenhum certificado neste endereço. Verifique se o link está completo ou escaneie o código QR novamente. Se você comprou um produto com este link, fale com o vendedor.",
    },
    unavailable: {
      title: "Temporariamente indisponível",
      explanation: "No momento não é possível verificar o certificado. Tente novamente em alguns segundos.",
    },
    limited: {
      title: "Solicitações demais",
      explanation:
        "Muitos links inválidos foram abertos a partir da sua rede em pouco tempo. Aguarde um momento e tente novamente.",
    },
    invalid: { title: "Solicitação inválida", explanation: "Volte ao certificado e tente novamente." },
    internal: { title: "Algo deu errado", explanation: "O erro é nosso. Tente novamente mais tarde." },
  },
};
