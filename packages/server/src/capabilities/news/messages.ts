/** Texts about news for players: in the box, in mails and on the built-in pages. `service` is the name of the operator. */
export type Messages = {
  code: string
  label(service: string): string
  confirm: {
    title(service: string): string
    why(service: string): string
    button: string
    lifetime: string
    done: string
  }
  unsubscribe: { link: string; title: string; text(service: string): string; button: string; done: string }
  whyYou(service: string): string
  over: string
  tooMany: string
  pasteLabel: string
  pasteHint: string
}

/** Messages for a language tag such as `de-AT`; English for unknown languages. */
export const messagesFor = (language: string): Messages =>
  MESSAGES.get(language.split('-', 1)[0]?.toLowerCase() ?? '') ?? en

const en: Messages = {
  code: 'en',
  label: (service) =>
    `Send me news from ${service} by email, at most twice a month. I can unsubscribe at any time.`,
  confirm: {
    title: (service) => `News from ${service}?`,
    why: (service) =>
      `Someone, probably you, signed up this address for news from ${service} (at most two emails a month). We send nothing until you confirm.`,
    button: 'Yes, send me news',
    lifetime:
      'This link expires in 30 days. If this was not you, ignore this email and you will not receive any news.',
    done: 'You are subscribed. You will receive at most two emails a month. You can close this page.',
  },
  unsubscribe: {
    link: 'Unsubscribe',
    title: 'Unsubscribe from news?',
    text: (service) => `Click the button to stop receiving news from ${service}.`,
    button: 'Unsubscribe',
    done: 'You are unsubscribed. You can close this page.',
  },
  whyYou: (service) => `You receive this email because you signed up for news from ${service}.`,
  over: 'This link no longer works: it has expired, or you have unsubscribed.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  pasteLabel: 'Link from the email',
  pasteHint: 'Copy the whole link from the email and paste it here.',
}

const ja: Messages = {
  code: 'ja',
  label: (service) =>
    `${service} からのお知らせをメールで受け取ります（月2通まで）。いつでも配信を停止できます。`,
  confirm: {
    title: (service) => `${service} からのお知らせを受け取りますか？`,
    why: (service) =>
      `このメールアドレスで ${service} からのお知らせ（月2通まで）の配信が申し込まれました。確認されるまで、お知らせは送信されません。`,
    button: 'お知らせを受け取る',
    lifetime:
      'このリンクは30日間有効です。お心当たりがない場合は、このメールを無視してください。お知らせは届きません。',
    done: '登録が完了しました。お知らせは月2通までお届けします。このページは閉じてかまいません。',
  },
  unsubscribe: {
    link: '配信を停止する',
    title: 'お知らせの配信を停止しますか？',
    text: (service) => `ボタンを押すと、${service} からのお知らせは届かなくなります。`,
    button: '配信を停止する',
    done: '配信を停止しました。このページは閉じてかまいません。',
  },
  whyYou: (service) => `${service} からのお知らせを申し込まれた方にお送りしています。`,
  over: 'このリンクは使えません。有効期限が切れているか、すでに配信が停止されています。',
  tooMany: '試行回数が多すぎます。1分ほど待ってから、もう一度お試しください。',
  pasteLabel: 'メールのリンク',
  pasteHint: 'メールに書かれたリンク全体をコピーして、ここに貼り付けてください。',
}

const de: Messages = {
  code: 'de',
  label: (service) =>
    `Schickt mir Neuigkeiten von ${service} per E-Mail, höchstens zweimal im Monat. Ich kann sie jederzeit abbestellen.`,
  confirm: {
    title: (service) => `Neuigkeiten von ${service}?`,
    why: (service) =>
      `Jemand, vermutlich du selbst, hat mit dieser Adresse Neuigkeiten von ${service} bestellt: höchstens zwei Mails im Monat. Ohne deine Bestätigung wird nichts verschickt.`,
    button: 'Ja, schickt mir Neuigkeiten',
    lifetime:
      'Der Link gilt 30 Tage. Wenn du das nicht warst, ignoriere diese Mail; du bekommst dann keine Neuigkeiten.',
    done: 'Fertig. Du bekommst Neuigkeiten, höchstens zweimal im Monat. Du kannst diese Seite schließen.',
  },
  unsubscribe: {
    link: 'Abbestellen',
    title: 'Keine Neuigkeiten mehr?',
    text: (service) => `Ein Klick, und ${service} schickt dir keine Neuigkeiten mehr.`,
    button: 'Abbestellen',
    done: 'Fertig. Du bekommst keine Neuigkeiten mehr. Du kannst diese Seite schließen.',
  },
  whyYou: (service) => `Du bekommst diese Mail, weil du Neuigkeiten von ${service} bestellt hast.`,
  over: 'Dieser Link gilt nicht mehr: Er ist zu alt, oder du hast die Neuigkeiten inzwischen abbestellt.',
  tooMany: 'Zu viele Versuche. Warte eine Minute und versuche es dann noch einmal.',
  pasteLabel: 'Link aus der Mail',
  pasteHint: 'Kopiere den ganzen Link aus der Mail und füge ihn hier ein.',
}

const es: Messages = {
  code: 'es',
  label: (service) =>
    `Quiero recibir novedades de ${service} por correo, como máximo dos veces al mes. Puedo darme de baja cuando quiera.`,
  confirm: {
    title: (service) => `¿Novedades de ${service}?`,
    why: (service) =>
      `Alguien, probablemente tú, pidió con esta dirección recibir novedades de ${service}: como máximo dos correos al mes. No se envía nada hasta que lo confirmes.`,
    button: 'Sí, quiero novedades',
    lifetime:
      'El enlace funciona durante 30 días. Si no fuiste tú, ignora este correo; no recibirás novedades.',
    done: 'Listo. Recibirás novedades, como máximo dos veces al mes. Puedes cerrar esta página.',
  },
  unsubscribe: {
    link: 'Darme de baja',
    title: '¿No quieres más novedades?',
    text: (service) => `Pulsa el botón y ${service} no te enviará más novedades.`,
    button: 'Darme de baja',
    done: 'Listo. No recibirás más novedades. Puedes cerrar esta página.',
  },
  whyYou: (service) => `Recibes este correo porque pediste novedades de ${service}.`,
  over: 'Este enlace ya no funciona: es demasiado antiguo o ya te diste de baja.',
  tooMany: 'Demasiados intentos. Espera un minuto y vuelve a intentarlo.',
  pasteLabel: 'Enlace del correo',
  pasteHint: 'Copia el enlace completo del correo y pégalo aquí.',
}

const pt: Messages = {
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

const zh: Messages = {
  code: 'zh',
  label: (service) => `通过邮件接收 ${service} 的最新消息，每月最多两封。我可以随时退订。`,
  confirm: {
    title: (service) => `接收 ${service} 的最新消息？`,
    why: (service) =>
      `有人（很可能是您本人）用此邮箱申请接收 ${service} 的最新消息，每月最多两封。在您确认之前，我们不会发送任何消息。`,
    button: '是的，请发送给我',
    lifetime: '链接在 30 天内有效。如果不是您本人操作，请忽略此邮件，您不会收到任何消息。',
    done: '已完成。您将收到最新消息，每月最多两封。您可以关闭此页面。',
  },
  unsubscribe: {
    link: '退订',
    title: '不再接收消息？',
    text: (service) => `点击按钮后，${service} 将不再向您发送消息。`,
    button: '退订',
    done: '已完成。您将不再收到消息。您可以关闭此页面。',
  },
  whyYou: (service) => `您收到此邮件，是因为您申请接收 ${service} 的最新消息。`,
  over: '此链接已失效：可能已过期，或者您已经退订。',
  tooMany: '尝试次数过多。请稍等一分钟后再试。',
  pasteLabel: '邮件中的链接',
  pasteHint: '请复制邮件中的完整链接并粘贴到这里。',
}

const MESSAGES = new Map(Object.entries({ en, ja, de, es, pt, zh }))
