import type { Environment } from '../../../platform/environment.ts'
import { type MailContent, mailBody } from '../../../platform/mail/body.ts'
import { messagesFor } from './messages.ts'

export type Mail = {
  kind: 'verification' | 'reset' | 'notice'
  environment: Environment
  to: string
  subject: string
  text: string
  html: string
}

type Recipient = { environment: Environment; to: string; app: string; language: string }

function mailTo(
  { environment, to, language }: Recipient,
  kind: Mail['kind'],
  subject: string,
  content: Omit<MailContent, 'language'>,
): Mail {
  const { code } = messagesFor(language)
  return { kind, environment, to, subject, ...mailBody({ language: code, ...content }) }
}

export function verificationMail(recipient: Recipient, url: string): Mail {
  const { verify, ownership } = messagesFor(recipient.language)
  const { title, mail } = verify
  return mailTo(recipient, 'verification', mail.subject(recipient.app), {
    title,
    paragraphs: [mail.why(recipient.app)],
    button: { label: mail.button, url },
    footer: `${mail.lifetime} ${ownership.notYours(recipient.app)}`,
  })
}

/** `isFirstProof`: the link proves the ownership of an address that was never confirmed before (AUT-17). */
export function resetMail(recipient: Recipient, url: string, isFirstProof: boolean): Mail {
  const { reset, ignore, ownership } = messagesFor(recipient.language)
  const { title, mail } = reset
  return mailTo(recipient, 'reset', mail.subject(recipient.app), {
    title,
    paragraphs: [mail.why(recipient.app), ...(isFirstProof ? [ownership.firstProof] : [])],
    button: { label: mail.button, url },
    footer: `${mail.lifetime} ${ignore}`,
  })
}

export function removedMail(recipient: Recipient, providers: string[]): Mail {
  const { subject, title, text } = messagesFor(recipient.language).ownership.removed
  const methods = providers.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join(', ')
  const paragraphs = [text(recipient.app, methods)]
  return mailTo(recipient, 'notice', subject(recipient.app), { title, paragraphs })
}
