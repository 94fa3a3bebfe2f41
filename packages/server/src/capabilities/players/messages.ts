import { acceptedLanguages } from '../../platform/languages.ts'

/** Texts for players in mails and on the built-in pages. */
export type Messages = {
  code: string
  verify: Job
  reset: Job & { label: string; lengthRule: string }
  ignore: string
  pasteLabel: string
  pasteHint: string
  /** The label of the link to the app. */
  back(app: string): string
  over: { title: string; text: string }
  tooMany: { title: string; text: string }
}

type Job = {
  title: string
  mail: { subject(app: string): string; why(app: string): string; button: string; lifetime: string }
  page: { text: string; button: string }
  done: { title: string; text: string }
}

/** Messages for a language tag such as `de-AT`; English for unknown languages (CFG-07). */
export const messagesFor = (language: string): Messages => MESSAGES.get(baseOf(language)) ?? en

/** The language that the browser prefers among the available ones. */
export function languageOf(acceptLanguage: string): string {
  return acceptedLanguages(acceptLanguage).find((language) => MESSAGES.has(baseOf(language))) ?? 'en'
}

const baseOf = (language: string) => language.split('-', 1)[0]?.toLowerCase() ?? ''

const en: Messages = {
  code: 'en',
  verify: {
    title: 'Confirm your email address',
    mail: {
      subject: (app) => `Confirm your email address for ${app}`,
      why: (app) => `Someone, probably you, used this email address to create an account in ${app}.`,
      button: 'Confirm',
      lifetime: 'This link can be used once and expires in 24 hours.',
    },
    page: { text: 'Click the button to confirm your email address.', button: 'Confirm' },
    done: { title: 'Confirmed', text: 'Your email address is confirmed. You can close this page.' },
  },
  reset: {
    title: 'Set a new password',
    mail: {
      subject: (app) => `Set a new password for ${app}`,
      why: (app) => `A new password was requested for your account in ${app}.`,
      button: 'Set a new password',
      lifetime: 'This link can be used once and expires in 30 minutes.',
    },
    page: { text: 'You will be signed out on all devices.', button: 'Save' },
    done: { title: 'Saved', text: 'You can now sign in with your new password.' },
    label: 'New password',
    lengthRule: 'At least 8 characters.',
  },
  ignore: 'If this was not you, ignore this email. Nothing will change.',
  pasteLabel: 'Link from the email',
  pasteHint: 'Copy the whole link from the email and paste it here.',
  back: (app) => `Back to ${app}`,
  over: {
    title: 'This link no longer works',
    text: 'It was already used, has expired, or was replaced by a newer one. Request a new link in the app.',
  },
  tooMany: { title: 'Too many attempts', text: 'Wait a minute, then go back and try again.' },
}

const ja: Messages = {
  code: 'ja',
  verify: {
    title: 'メールアドレスの確認',
    mail: {
      subject: (app) => `【${app}】メールアドレスの確認`,
      why: (app) => `${app} のアカウントに、このメールアドレスが登録されました。`,
      button: '確認する',
      lifetime: 'このリンクは24時間以内に1回だけ使えます。',
    },
    page: { text: 'ボタンを押してメールアドレスを確認してください。', button: '確認する' },
    done: {
      title: '確認しました',
      text: 'メールアドレスの確認が完了しました。このページは閉じてかまいません。',
    },
  },
  reset: {
    title: '新しいパスワードの設定',
    mail: {
      subject: (app) => `【${app}】新しいパスワードの設定`,
      why: (app) => `${app} のアカウントについて、パスワードの再設定が申し込まれました。`,
      button: 'パスワードを設定する',
      lifetime: 'このリンクは30分以内に1回だけ使えます。',
    },
    page: { text: 'すべての端末からログアウトされます。', button: '保存する' },
    done: { title: '保存しました', text: '新しいパスワードでログインできます。' },
    label: '新しいパスワード',
    lengthRule: '8文字以上で入力してください。',
  },
  ignore: 'お心当たりがない場合は、このメールを無視してください。何も変更されません。',
  pasteLabel: 'メールのリンク',
  pasteHint: 'メールのリンク全体をコピーして、ここに貼り付けてください。',
  back: (app) => `${app} に戻る`,
  over: {
    title: 'このリンクは使えません',
    text: '使用済みか、期限切れか、新しいリンクが送られています。アプリからもう一度お申し込みください。',
  },
  tooMany: { title: '試行回数が多すぎます', text: '1分ほど待ってから、戻ってもう一度お試しください。' },
}

const de: Messages = {
  code: 'de',
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    mail: {
      subject: (app) => `E-Mail-Adresse für ${app} bestätigen`,
      why: (app) => `Jemand, wahrscheinlich du, hat diese Adresse für ein Konto bei ${app} angegeben.`,
      button: 'Bestätigen',
      lifetime: 'Der Link funktioniert einmal und 24 Stunden lang.',
    },
    page: {
      text: 'Klicke auf die Schaltfläche, um deine E-Mail-Adresse zu bestätigen.',
      button: 'Bestätigen',
    },
    done: {
      title: 'Bestätigt',
      text: 'Deine E-Mail-Adresse ist bestätigt. Du kannst diese Seite schließen.',
    },
  },
  reset: {
    title: 'Neues Passwort festlegen',
    mail: {
      subject: (app) => `Neues Passwort für ${app}`,
      why: (app) => `Für dein Konto bei ${app} wurde ein neues Passwort angefordert.`,
      button: 'Neues Passwort festlegen',
      lifetime: 'Der Link funktioniert einmal und 30 Minuten lang.',
    },
    page: { text: 'Du wirst auf allen Geräten abgemeldet.', button: 'Speichern' },
    done: { title: 'Gespeichert', text: 'Du kannst dich jetzt mit dem neuen Passwort anmelden.' },
    label: 'Neues Passwort',
    lengthRule: 'Mindestens 8 Zeichen.',
  },
  ignore: 'Warst du das nicht, ignoriere diese Mail; es ändert sich nichts.',
  pasteLabel: 'Link aus der E-Mail',
  pasteHint: 'Kopiere den ganzen Link aus der E-Mail und füge ihn hier ein.',
  back: (app) => `Zurück zu ${app}`,
  over: {
    title: 'Dieser Link funktioniert nicht mehr',
    text: 'Er wurde schon benutzt, ist abgelaufen oder wurde durch einen neueren ersetzt. Fordere in der App einen neuen Link an.',
  },
  tooMany: {
    title: 'Zu viele Versuche',
    text: 'Warte eine Minute, geh zurück und versuche es noch einmal.',
  },
}

const es: Messages = {
  code: 'es',
  verify: {
    title: 'Confirma tu correo electrónico',
    mail: {
      subject: (app) => `Confirma tu correo electrónico para ${app}`,
      why: (app) => `Alguien, seguramente tú, ha usado esta dirección para una cuenta en ${app}.`,
      button: 'Confirmar',
      lifetime: 'El enlace funciona una sola vez, durante 24 horas.',
    },
    page: { text: 'Haz clic en el botón para confirmar tu correo electrónico.', button: 'Confirmar' },
    done: {
      title: 'Confirmado',
      text: 'Tu correo electrónico está confirmado. Ya puedes cerrar esta página.',
    },
  },
  reset: {
    title: 'Elige una contraseña nueva',
    mail: {
      subject: (app) => `Contraseña nueva para ${app}`,
      why: (app) => `Se ha pedido una contraseña nueva para tu cuenta en ${app}.`,
      button: 'Elegir contraseña nueva',
      lifetime: 'El enlace funciona una sola vez, durante 30 minutos.',
    },
    page: { text: 'Se cerrará la sesión en todos los dispositivos.', button: 'Guardar' },
    done: { title: 'Guardada', text: 'Ya puedes iniciar sesión con la contraseña nueva.' },
    label: 'Contraseña nueva',
    lengthRule: 'Al menos 8 caracteres.',
  },
  ignore: 'Si no has sido tú, ignora este mensaje; no cambiará nada.',
  pasteLabel: 'Enlace del correo',
  pasteHint: 'Copia el enlace completo del correo y pégalo aquí.',
  back: (app) => `Volver a ${app}`,
  over: {
    title: 'Este enlace ya no funciona',
    text: 'Ya se usó, ha caducado o se envió otro más reciente. Pide uno nuevo en la aplicación.',
  },
  tooMany: { title: 'Demasiados intentos', text: 'Espera un minuto, vuelve atrás e inténtalo de nuevo.' },
}

const pt: Messages = {
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
}

const zh: Messages = {
  code: 'zh',
  verify: {
    title: '确认您的邮箱地址',
    mail: {
      subject: (app) => `${app}：请确认您的邮箱地址`,
      why: (app) => `有人（很可能是您）用此邮箱地址注册了 ${app} 的帐号。`,
      button: '确认',
      lifetime: '此链接仅可使用一次，24 小时内有效。',
    },
    page: { text: '请点击按钮确认您的邮箱地址。', button: '确认' },
    done: { title: '已确认', text: '您的邮箱地址已确认，可以关闭此页面。' },
  },
  reset: {
    title: '设置新密码',
    mail: {
      subject: (app) => `${app}：设置新密码`,
      why: (app) => `有人请求为您的 ${app} 帐号设置新密码。`,
      button: '设置新密码',
      lifetime: '此链接仅可使用一次，30 分钟内有效。',
    },
    page: { text: '您将在所有设备上退出登录。', button: '保存' },
    done: { title: '已保存', text: '现在可以用新密码登录了。' },
    label: '新密码',
    lengthRule: '至少 8 个字符。',
  },
  ignore: '如果这不是您本人的操作，请忽略此邮件，不会有任何更改。',
  pasteLabel: '邮件中的链接',
  pasteHint: '请复制邮件中的完整链接并粘贴到此处。',
  back: (app) => `返回 ${app}`,
  over: { title: '此链接已失效', text: '链接已被使用、已过期，或已有更新的链接。请在应用中重新申请。' },
  tooMany: { title: '尝试次数过多', text: '请等待一分钟，然后返回重试。' },
}

const MESSAGES: ReadonlyMap<string, Messages> = new Map(Object.entries({ en, ja, de, es, pt, zh }))
