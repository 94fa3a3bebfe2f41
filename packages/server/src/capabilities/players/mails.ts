import type { Environment } from '../../platform/environment.ts'
import { mailBody } from '../../platform/mail/body.ts'
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

export function verificationMail({ environment, to, app, language }: Recipient, url: string): Mail {
  const { code, verify, ownership } = messagesFor(language)
  const { title, mail } = verify
  return {
    kind: 'verification',
    environment,
    to,
    subject: mail.subject(app),
    ...mailBody({
      language: code,
      title,
      paragraphs: [mail.why(app)],
      button: { label: mail.button, url },
      footer: `${mail.lifetime} ${ownership.notYours(app)}`,
    }),
  }
}

/** `isFirstProof`: the link proves the ownership of an address that was never confirmed before (AUT-17). */
export function resetMail(
  { environment, to, app, language }: Recipient,
  url: string,
  isFirstProof: boolean,
): Mail {
  const { code, reset, ignore, ownership } = messagesFor(language)
  const { title, mail } = reset
  return {
    kind: 'reset',
    environment,
    to,
    subject: mail.subject(app),
    ...mailBody({
      language: code,
      title,
      paragraphs: [mail.why(app), ...(isFirstProof ? [ownership.firstProof] : [])],
      button: { label: mail.button, url },
      footer: `${mail.lifetime} ${ignore}`,
    }),
  }
}

export function removedMail({ environment, to, app, language }: Recipient, providers: string[]): Mail {
  const { code, ownership } = messagesFor(language)
  const { subject, title, text } = ownership.removed
  const methods = providers.map((name) => name.charAt(0).toUpperCase() + name.slice(1)).join(', ')
  return {
    kind: 'notice',
    environment,
    to,
    subject: subject(app),
    ...mailBody({ language: code, title, paragraphs: [text(app, methods)] }),
  }
}
