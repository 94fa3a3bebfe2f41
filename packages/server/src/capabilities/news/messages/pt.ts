import type { Messages } from './en.ts'

export const pt: Messages = {
  code: 'pt-BR',
  label: (service) =>
    `Quero receber novidades de ${service} por e-mail, no máximo duas vezes por mês. Posso cancelar quando quiser.`,
  confirm: {
    title: (service) => `Novidades de ${service}?`,
    why: (service) =>
      `Alguém, provavelmente você, pediu com este endereço para receber novidades de ${service}: no máximo dois e-mails por mês. Nada é enviado até você confirmar.`,
    button: 'Sim, quero novidades',
    lifetime:
      'O link funciona por 30 dias. Se não foi você, ignore este e-mail; você não receberá novidades.',
    done: 'Pronto. Você receberá novidades, no máximo duas vezes por mês. Pode fechar esta página.',
  },
  unsubscribe: {
    link: 'Cancelar inscrição',
    title: 'Não quer mais novidades?',
    text: (service) => `Basta um clique, e ${service} não enviará mais novidades a você.`,
    button: 'Cancelar inscrição',
    done: 'Pronto. Você não receberá mais novidades. Pode fechar esta página.',
  },
  whyYou: (service) => `Você recebe este e-mail porque pediu novidades de ${service}.`,
  over: 'Este link não funciona mais: é antigo demais ou você já cancelou a inscrição.',
  tooMany: 'Tentativas demais. Espere um minuto e tente de novo.',
  pasteLabel: 'Link do e-mail',
  pasteHint: 'Copie o link inteiro do e-mail e cole aqui.',
}
