import type { Environment } from '../../platform/environment.ts'
import { mailBody } from '../../platform/mail/body.ts'
import { messagesFor } from './messages.ts'

export type Mail = {
  kind: 'news' | 'news_confirmation'
  environment: Pick<Environment, 'id'>
  to: string
  subject: string
  text: string
  html: string
  unsubscribeUrl: string
}

type MailContext = {
  environment: Pick<Environment, 'id'>
  to: string
  language: string
  service: string
  baseUrl: string
  unsubscribeToken: string
}

/** Asks for confirmation; no other mail is sent before it. */
export function confirmationMail(mailContext: MailContext, token: string): Mail {
  const { code, confirm, unsubscribe } = messagesFor(mailContext.language)
  const title = confirm.title(mailContext.service)
  return {
    kind: 'news_confirmation',
    ...addressed(mailContext),
    subject: title,
    ...mailBody({
      language: code,
      title,
      paragraphs: [confirm.why(mailContext.service)],
      button: { label: confirm.button, url: pageUrl(mailContext, 'confirm', token) },
      footer: confirm.lifetime,
      footerLink: unsubscribeLink(mailContext, unsubscribe.link),
    }),
  }
}

export type News = { subject: string; paragraphs: string[] }

export function newsMail(mailContext: MailContext, { subject, paragraphs }: News): Mail {
  const { code, whyYou, unsubscribe } = messagesFor(mailContext.language)
  return {
    kind: 'news',
    ...addressed(mailContext),
    subject,
    ...mailBody({
      language: code,
      title: subject,
      paragraphs,
      footer: whyYou(mailContext.service),
      footerLink: unsubscribeLink(mailContext, unsubscribe.link),
    }),
  }
}

const addressed = ({ environment, to, baseUrl, unsubscribeToken }: MailContext) => ({
  environment,
  to,
  unsubscribeUrl: `${baseUrl}/.news/one-click/${unsubscribeToken}`,
})

const unsubscribeLink = (mailContext: MailContext, label: string) => ({
  label,
  url: pageUrl(mailContext, 'unsubscribe', mailContext.unsubscribeToken),
})

/** The token is in the fragment, which appears neither in server logs nor in a Referer header. */
const pageUrl = ({ baseUrl, language }: MailContext, kind: 'confirm' | 'unsubscribe', token: string) =>
  `${baseUrl}/.news/${kind}?language=${messagesFor(language).code}#token=${token}`
