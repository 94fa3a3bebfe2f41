import type { SvcErrorCode } from '../http/errors.ts'

/** The texts of the sign-in dialog in one language. */
export type Messages = {
  code: string
  signIn: string
  signUp: string
  email: string
  password: string
  passwordRule: string
  continueWith(provider: string): string
  forgot: string
  sendLink: string
  linkSent: string
  toSignUp: string
  toSignIn: string
  close: string
  /** The question before a guest with saves or stats switches to the player with this name. */
  switchTitle: string
  switchText(name: string): string
  switchTo(name: string): string
  stayGuest: string
  /** After a sign-up. */
  checkEmail: string
  mailSent(email: string): string
  continueButton: string
  errors: Partial<Record<SvcErrorCode, string>> & { other: string }
}

/** Messages for a language tag such as `de-AT`; English for unknown languages. */
export const messagesFor = (language: string): Messages =>
  MESSAGES.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? en

const en: Messages = {
  code: 'en',
  signIn: 'Sign in',
  signUp: 'Create an account',
  email: 'Email',
  password: 'Password',
  passwordRule: 'At least 8 characters.',
  continueWith: (provider) => `Continue with ${provider}`,
  forgot: 'Forgot your password?',
  sendLink: 'Send me a link',
  linkSent: 'If an account with this address exists, we have sent you an email with a link.',
  toSignUp: 'No account yet? Create one',
  toSignIn: 'Already have an account? Sign in',
  close: 'Close',
  switchTitle: 'Switch player?',
  switchText: (name) =>
    `This account already belongs to the player ${name}. Switch to that player? Your guest progress stays on this device; sign out to return to it.`,
  switchTo: (name) => `Switch to ${name}`,
  stayGuest: 'Stay as guest',
  checkEmail: 'Check your email',
  mailSent: (email) => `We sent an email to ${email}. Click the link in it to confirm your address.`,
  continueButton: 'Continue',
  errors: {
    invalid_credentials: 'Email or password is wrong.',
    email_taken: 'An account with this email already exists. Sign in instead.',
    identity_already_linked: 'This account is already in use. Sign in with it instead.',
    invalid_request: 'Please check your input. Passwords must have at least 8 characters.',
    rate_limited: 'Too many attempts. Wait a moment, then try again.',
    network_error: 'No connection. Please try again.',
    popup_blocked: 'Your browser blocked the popup. Click again to continue in this window.',
    player_banned: 'This account is banned.',
    other: 'Something went wrong. Please try again.',
  },
}

const ja: Messages = {
  code: 'ja',
  signIn: 'ログイン',
  signUp: 'アカウントを作成',
  email: 'メールアドレス',
  password: 'パスワード',
  passwordRule: '8文字以上で入力してください。',
  continueWith: (provider) => `${provider} で続ける`,
  forgot: 'パスワードをお忘れですか？',
  sendLink: 'リンクを送る',
  linkSent: 'このアドレスのアカウントがあれば、リンクを記載したメールをお送りします。',
  toSignUp: 'アカウントをお持ちでない方はこちら',
  toSignIn: 'アカウントをお持ちの方はこちら',
  close: '閉じる',
  switchTitle: 'プレイヤーを切り替えますか？',
  switchText: (name) =>
    `このアカウントはすでにプレイヤー「${name}」のものです。そのプレイヤーに切り替えますか？ゲストとしての記録はこの端末に残り、ログアウトすると元に戻れます。`,
  switchTo: (name) => `${name} に切り替える`,
  stayGuest: 'ゲストのまま続ける',
  checkEmail: 'メールをご確認ください',
  mailSent: (email) =>
    `${email} にメールを送信しました。メール内のリンクを開いて、メールアドレスを確認してください。`,
  continueButton: '続ける',
  errors: {
    invalid_credentials: 'メールアドレスまたはパスワードが違います。',
    email_taken: 'このメールアドレスのアカウントがすでにあります。ログインしてください。',
    identity_already_linked: 'このアカウントはすでに使われています。そのアカウントでログインしてください。',
    invalid_request: '入力内容をご確認ください。パスワードは8文字以上です。',
    rate_limited: '試行回数が多すぎます。しばらく待ってからお試しください。',
    network_error: '接続できません。もう一度お試しください。',
    popup_blocked: 'ブラウザーがウィンドウをブロックしました。もう一度押すと、この画面で続けます。',
    player_banned: 'このアカウントは利用停止中です。',
    other: 'うまくいきませんでした。もう一度お試しください。',
  },
}

const de: Messages = {
  code: 'de',
  signIn: 'Anmelden',
  signUp: 'Konto anlegen',
  email: 'E-Mail',
  password: 'Passwort',
  passwordRule: 'Mindestens 8 Zeichen.',
  continueWith: (provider) => `Weiter mit ${provider}`,
  forgot: 'Passwort vergessen?',
  sendLink: 'Link zuschicken',
  linkSent: 'Wenn es ein Konto mit dieser Adresse gibt, ist eine E-Mail mit einem Link unterwegs.',
  toSignUp: 'Noch kein Konto? Jetzt anlegen',
  toSignIn: 'Schon ein Konto? Anmelden',
  close: 'Schließen',
  switchTitle: 'Spieler wechseln?',
  switchText: (name) =>
    `Dieses Konto gehört schon dem Spieler ${name}. Zu diesem Spieler wechseln? Dein Fortschritt als Gast bleibt auf diesem Gerät; melde dich ab, um dorthin zurückzukehren.`,
  switchTo: (name) => `Zu ${name} wechseln`,
  stayGuest: 'Gast bleiben',
  checkEmail: 'Sieh in deine E-Mails',
  mailSent: (email) =>
    `Wir haben eine E-Mail an ${email} geschickt. Klicke auf den Link darin, um deine Adresse zu bestätigen.`,
  continueButton: 'Weiter',
  errors: {
    invalid_credentials: 'E-Mail oder Passwort ist falsch.',
    email_taken: 'Mit dieser E-Mail gibt es schon ein Konto. Melde dich damit an.',
    identity_already_linked: 'Dieses Konto wird schon verwendet. Melde dich damit an.',
    invalid_request: 'Bitte prüfe deine Eingaben; ein Passwort hat mindestens 8 Zeichen.',
    rate_limited: 'Zu viele Versuche. Warte einen Moment und versuche es noch einmal.',
    network_error: 'Keine Verbindung. Bitte versuche es noch einmal.',
    popup_blocked:
      'Der Browser hat das Fenster blockiert. Drücke noch einmal, dann geht es in diesem weiter.',
    player_banned: 'Dieses Konto ist gesperrt.',
    other: 'Das hat nicht geklappt. Bitte versuche es noch einmal.',
  },
}

const es: Messages = {
  code: 'es',
  signIn: 'Iniciar sesión',
  signUp: 'Crear una cuenta',
  email: 'Correo electrónico',
  password: 'Contraseña',
  passwordRule: 'Al menos 8 caracteres.',
  continueWith: (provider) => `Continuar con ${provider}`,
  forgot: '¿Has olvidado la contraseña?',
  sendLink: 'Enviarme un enlace',
  linkSent: 'Si existe una cuenta con esta dirección, recibirás un correo con un enlace.',
  toSignUp: '¿Aún no tienes cuenta? Créala',
  toSignIn: '¿Ya tienes cuenta? Inicia sesión',
  close: 'Cerrar',
  switchTitle: '¿Cambiar de jugador?',
  switchText: (name) =>
    `Esta cuenta ya pertenece al jugador ${name}. ¿Cambiar a ese jugador? Tu progreso como invitado se queda en este dispositivo; cierra la sesión para volver a él.`,
  switchTo: (name) => `Cambiar a ${name}`,
  stayGuest: 'Seguir como invitado',
  checkEmail: 'Revisa tu correo',
  mailSent: (email) =>
    `Hemos enviado un correo a ${email}. Haz clic en el enlace para confirmar tu dirección.`,
  continueButton: 'Continuar',
  errors: {
    invalid_credentials: 'El correo o la contraseña no son correctos.',
    email_taken: 'Ya hay una cuenta con este correo. Inicia sesión.',
    identity_already_linked: 'Esta cuenta ya está en uso. Inicia sesión con ella.',
    invalid_request: 'Revisa lo que has escrito; la contraseña tiene al menos 8 caracteres.',
    rate_limited: 'Demasiados intentos. Espera un momento y vuelve a intentarlo.',
    network_error: 'Sin conexión. Vuelve a intentarlo.',
    popup_blocked: 'El navegador ha bloqueado la ventana. Pulsa otra vez para continuar en esta.',
    player_banned: 'Esta cuenta está bloqueada.',
    other: 'No ha funcionado. Vuelve a intentarlo.',
  },
}

const pt: Messages = {
  code: 'pt-BR',
  signIn: 'Entrar',
  signUp: 'Criar conta',
  email: 'E-mail',
  password: 'Senha',
  passwordRule: 'Pelo menos 8 caracteres.',
  continueWith: (provider) => `Continuar com ${provider}`,
  forgot: 'Esqueceu a senha?',
  sendLink: 'Enviar um link',
  linkSent: 'Se houver uma conta com este endereço, você receberá um e-mail com um link.',
  toSignUp: 'Ainda não tem conta? Crie uma',
  toSignIn: 'Já tem conta? Entre',
  close: 'Fechar',
  switchTitle: 'Trocar de jogador?',
  switchText: (name) =>
    `Esta conta já pertence ao jogador ${name}. Trocar para esse jogador? Seu progresso como convidado fica neste dispositivo; saia da conta para voltar a ele.`,
  switchTo: (name) => `Trocar para ${name}`,
  stayGuest: 'Continuar como convidado',
  checkEmail: 'Confira seu e-mail',
  mailSent: (email) => `Enviamos um e-mail para ${email}. Clique no link para confirmar seu endereço.`,
  continueButton: 'Continuar',
  errors: {
    invalid_credentials: 'E-mail ou senha incorretos.',
    email_taken: 'Já existe uma conta com este e-mail. Entre com ela.',
    identity_already_linked: 'Esta conta já está em uso. Entre com ela.',
    invalid_request: 'Confira o que você digitou; a senha tem pelo menos 8 caracteres.',
    rate_limited: 'Tentativas demais. Espere um pouco e tente de novo.',
    network_error: 'Sem conexão. Tente de novo.',
    popup_blocked: 'O navegador bloqueou a janela. Toque de novo para continuar nesta.',
    player_banned: 'Esta conta está banida.',
    other: 'Não deu certo. Tente de novo.',
  },
}

const zh: Messages = {
  code: 'zh',
  signIn: '登录',
  signUp: '创建账号',
  email: '邮箱',
  password: '密码',
  passwordRule: '至少 8 个字符。',
  continueWith: (provider) => `使用 ${provider} 继续`,
  forgot: '忘记密码？',
  sendLink: '发送链接',
  linkSent: '如果该邮箱已有账号，您将收到一封含有链接的邮件。',
  toSignUp: '还没有账号？创建一个',
  toSignIn: '已有账号？登录',
  close: '关闭',
  switchTitle: '切换玩家？',
  switchText: (name) =>
    `该账号已属于玩家“${name}”。要切换到该玩家吗？您的访客进度会保留在此设备上，退出登录即可返回。`,
  switchTo: (name) => `切换到 ${name}`,
  stayGuest: '继续作为访客',
  checkEmail: '请查收邮件',
  mailSent: (email) => `我们已向 ${email} 发送邮件。请点击其中的链接确认您的邮箱地址。`,
  continueButton: '继续',
  errors: {
    invalid_credentials: '邮箱或密码错误。',
    email_taken: '该邮箱已有账号，请直接登录。',
    identity_already_linked: '该账号已被使用，请直接用它登录。',
    invalid_request: '请检查输入内容；密码至少 8 个字符。',
    rate_limited: '尝试次数过多，请稍后再试。',
    network_error: '无法连接，请重试。',
    popup_blocked: '浏览器拦截了新窗口。再按一次，将在当前窗口继续。',
    player_banned: '该账号已被封禁。',
    other: '操作未成功，请重试。',
  },
}

const MESSAGES = new Map(
  [en, ja, de, es, pt, zh].map((messages) => [messages.code.split('-', 1)[0], messages]),
)
