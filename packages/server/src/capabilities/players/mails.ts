import type { Environment } from '../../platform/environment.ts'
import { mailBody } from '../../platform/mail-body.ts'
import { messagesFor } from './messages.ts'

export type Mail = {
  kind: 'verification' | 'reset'
  environment: Environment
  to: string
  subject: string
  text: string
  html: string
}

type Content = { environment: Environment; to: string; app: string; url: string; language: string }

export function mailOf(kind: 'verify' | 'reset', content: Content): Mail {
  const { environment, to, app, url, language } = content
  const messages = messagesFor(language)
  const { title, mail } = messages[kind]
  return {
    kind: kind === 'verify' ? 'verification' : 'reset',
    environment,
    to,
    subject: mail.subject(app),
    ...mailBody({
      title,
      paragraphs: [mail.why(app)],
      button: { label: mail.button, url },
      footer: `${mail.lifetime} ${messages.ignore}`,
    }),
  }
}
