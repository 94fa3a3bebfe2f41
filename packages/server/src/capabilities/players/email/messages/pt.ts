import type { Messages } from './en.ts'

export const pt: Messages = {
  code: 'pt-BR',
  verify: {
    title: 'Confirme seu e-mail',
    mail: {
      subject: (app) => `Confirme seu e-mail para ${app}`,
      why: (app) => `Alguém, provavelmente você, informou este endereço para uma conta em ${app}.`,
      button: 'Confirmar',
      lifetime: 'O link funciona uma única vez, por 24 horas.',
    },
    page: { text: 'Clique no botão para confirmar seu e-mail.', button: 'Confirmar' },
    done: { title: 'Confirmado', text: 'Seu e-mail foi confirmado. Você já pode fechar esta página.' },
  },
  reset: {
    title: 'Defina uma nova senha',
    mail: {
      subject: (app) => `Nova senha para ${app}`,
      why: (app) => `Uma nova senha foi solicitada para sua conta em ${app}.`,
      button: 'Definir nova senha',
      lifetime: 'O link funciona uma única vez, por 30 minutos.',
    },
    page: { text: 'Você sairá da conta em todos os dispositivos.', button: 'Salvar' },
    done: { title: 'Senha salva', text: 'Você já pode entrar com a nova senha.' },
    label: 'Nova senha',
    lengthRule: 'Pelo menos 8 caracteres.',
  },
  ignore: 'Se não foi você, ignore esta mensagem; nada muda.',
  pasteLabel: 'Link do e-mail',
  pasteHint: 'Copie o link inteiro do e-mail e cole aqui.',
  back: (app) => `Voltar para ${app}`,
  over: {
    title: 'Este link não funciona mais',
    text: 'Ele já foi usado, expirou ou há um mais recente. Peça um novo no aplicativo.',
  },
  tooMany: { title: 'Muitas tentativas', text: 'Aguarde um minuto, volte e tente novamente.' },
  ownership: {
    notYours: (app) =>
      `Se você não criou esta conta, não a confirme. Para torná-la sua e encerrar todas as outras sessões, use “Esqueci minha senha” em ${app}.`,
    firstProof:
      'Seu endereço nunca foi confirmado para esta conta. Se você definir uma nova senha, tudo o que foi vinculado à conta antes será removido: outros métodos de login, como o Google, códigos de transferência e todas as sessões.',
    removed: {
      subject: (app) => `Métodos de login foram removidos da sua conta em ${app}`,
      title: 'Métodos de login foram removidos',
      text: (app, methods) =>
        `Você confirmou seu endereço para uma conta em ${app} ao definir uma nova senha. Estes métodos de login tinham sido vinculados antes e foram removidos: ${methods}. Todos os dispositivos foram desconectados. Você pode vincular os seus novamente no aplicativo.`,
    },
  },
}
