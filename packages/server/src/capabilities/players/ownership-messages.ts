/** Texts of mails about an address that was used before its owner confirmed it. */
export type OwnershipMessages = {
  /** In the mail that asks for confirmation. */
  notYours(app: string): string
  /** In the mail with the link to set a new password, while the address is not confirmed. */
  firstProof: string
  /** After a new password was set that way, when sign-in methods were removed. */
  removed: { subject(app: string): string; title: string; text(app: string, methods: string): string }
}

export const ownershipMessagesFor = (language: string): OwnershipMessages =>
  MESSAGES.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? en

const en: OwnershipMessages = {
  notYours: (app) =>
    `If you did not create this account, do not confirm it. To make it yours and sign everybody else out, use “Forgot password” in ${app}.`,
  firstProof:
    'Your address was never confirmed for this account. If you set a new password, everything that was attached to the account before is removed: other sign-in methods, such as Google, transfer codes and all sessions.',
  removed: {
    subject: (app) => `Sign-in methods were removed from your account in ${app}`,
    title: 'Sign-in methods were removed',
    text: (app, methods) =>
      `You confirmed your address for an account in ${app} by setting a new password. These sign-in methods were attached before and were removed: ${methods}. All devices were signed out. You can attach your own again in the app.`,
  },
}

const ja: OwnershipMessages = {
  notYours: (app) =>
    `このアカウントを作成していない場合は、確認しないでください。自分のアカウントにして他の端末をすべてログアウトさせるには、${app} で「パスワードを忘れた場合」を使ってください。`,
  firstProof:
    'このアカウントでは、メールアドレスがまだ確認されていません。新しいパスワードを設定すると、それ以前に追加されたもの（Google などのログイン方法、引き継ぎコード、すべてのセッション）が削除されます。',
  removed: {
    subject: (app) => `【${app}】ログイン方法が削除されました`,
    title: 'ログイン方法が削除されました',
    text: (app, methods) =>
      `新しいパスワードの設定により、${app} のアカウントのメールアドレスが確認されました。それ以前に追加されていた次のログイン方法は削除されました：${methods}。すべての端末からログアウトされました。ご自身のログイン方法は、アプリでもう一度追加できます。`,
  },
}

const de: OwnershipMessages = {
  notYours: (app) =>
    `Hast du dieses Konto nicht angelegt, bestätige es nicht. Um es zu übernehmen und alle anderen abzumelden, benutze „Passwort vergessen“ in ${app}.`,
  firstProof:
    'Deine Adresse wurde für dieses Konto nie bestätigt. Legst du ein neues Passwort fest, wird alles entfernt, was vorher mit dem Konto verbunden wurde: andere Anmeldearten wie Google, Übertragungscodes und alle Sitzungen.',
  removed: {
    subject: (app) => `Anmeldearten wurden von deinem Konto bei ${app} entfernt`,
    title: 'Anmeldearten wurden entfernt',
    text: (app, methods) =>
      `Du hast deine Adresse für ein Konto bei ${app} mit einem neuen Passwort bestätigt. Diese Anmeldearten waren vorher verbunden und wurden entfernt: ${methods}. Alle Geräte wurden abgemeldet. Deine eigenen kannst du in der App wieder verbinden.`,
  },
}

const es: OwnershipMessages = {
  notYours: (app) =>
    `Si no has creado esta cuenta, no la confirmes. Para hacerla tuya y cerrar todas las demás sesiones, usa «¿Has olvidado la contraseña?» en ${app}.`,
  firstProof:
    'Tu dirección nunca se confirmó para esta cuenta. Si eliges una contraseña nueva, se elimina todo lo que se vinculó antes a la cuenta: otros métodos de inicio de sesión, como Google, códigos de transferencia y todas las sesiones.',
  removed: {
    subject: (app) => `Se han eliminado métodos de inicio de sesión de tu cuenta en ${app}`,
    title: 'Se han eliminado métodos de inicio de sesión',
    text: (app, methods) =>
      `Has confirmado tu dirección para una cuenta en ${app} al elegir una contraseña nueva. Estos métodos de inicio de sesión se habían vinculado antes y se han eliminado: ${methods}. Se ha cerrado la sesión en todos los dispositivos. Puedes volver a vincular los tuyos en la aplicación.`,
  },
}

const pt: OwnershipMessages = {
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
}

const zh: OwnershipMessages = {
  notYours: (app) =>
    `如果此帐号不是您创建的，请不要确认。如需将其收归己有并让其他所有人退出登录，请在 ${app} 中使用“忘记密码”。`,
  firstProof:
    '此帐号的邮箱地址从未确认过。设置新密码后，之前关联到此帐号的内容都会被移除：其他登录方式（例如 Google）、转移码以及所有会话。',
  removed: {
    subject: (app) => `${app}：您的帐号已移除部分登录方式`,
    title: '登录方式已移除',
    text: (app, methods) =>
      `您通过设置新密码确认了 ${app} 帐号的邮箱地址。之前关联的以下登录方式已被移除：${methods}。所有设备均已退出登录。您可以在应用中重新关联自己的登录方式。`,
  },
}

const MESSAGES: ReadonlyMap<string, OwnershipMessages> = new Map(Object.entries({ en, ja, de, es, pt, zh }))
