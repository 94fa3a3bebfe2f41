/** Texts about news for players: in the box, in mails and on the built-in pages. `service` is the name of the operator. */
export const en = {
  code: 'en',
  label: (service: string) =>
    `Send me news from ${service} by email, at most twice a month. I can unsubscribe at any time.`,
  confirm: {
    title: (service: string) => `News from ${service}?`,
    why: (service: string) =>
      `Someone, probably you, signed up this address for news from ${service} (at most two emails a month). We send nothing until you confirm.`,
    button: 'Yes, send me news',
    lifetime:
      'This link expires in 30 days. If this was not you, ignore this email and you will not receive any news.',
    done: 'You are subscribed. You will receive at most two emails a month. You can close this page.',
  },
  unsubscribe: {
    link: 'Unsubscribe',
    title: 'Unsubscribe from news?',
    text: (service: string) => `Click the button to stop receiving news from ${service}.`,
    button: 'Unsubscribe',
    done: 'You are unsubscribed. You can close this page.',
  },
  whyYou: (service: string) => `You receive this email because you signed up for news from ${service}.`,
  over: 'This link no longer works: it has expired, or you have unsubscribed.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  pasteLabel: 'Link from the email',
  pasteHint: 'Copy the whole link from the email and paste it here.',
}

/** The texts of one language. */
export type Messages = typeof en
