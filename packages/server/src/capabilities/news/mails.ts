import type { Environment } from '../../platform/environment.ts'
import { mailBody } from '../../platform/mail-body.ts'
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

type Letter = {
  environment: Pick<Environment, 'id'>
  to: string
  language: string
  service: string
  baseUrl: string
  unsubscribeToken: string
}

/** The question; nothing else is sent before it was answered. */
export function confirmationMail(letter: Letter, token: string): Mail {
  const { confirm, unsubscribe } = messagesFor(letter.language)
  const title = confirm.title(letter.service)
  return {
    kind: 'news_confirmation',
    ...addressed(letter),
    subject: title,
    ...mailBody({
      title,
      paragraphs: [confirm.why(letter.service)],
      button: { label: confirm.button, url: pageUrl(letter, 'confirm', token) },
      footer: confirm.lifetime,
      footerLink: unsubscribeLink(letter, unsubscribe.link),
    }),
  }
}

export type News = { subject: string; paragraphs: string[] }

export function newsMail(letter: Letter, { subject, paragraphs }: News): Mail {
  const { whyYou, unsubscribe } = messagesFor(letter.language)
  return {
    kind: 'news',
    ...addressed(letter),
    subject,
    ...mailBody({
      title: subject,
      paragraphs,
      footer: whyYou(letter.service),
      footerLink: unsubscribeLink(letter, unsubscribe.link),
    }),
  }
}

const addressed = ({ environment, to, baseUrl, unsubscribeToken }: Letter) => ({
  environment,
  to,
  unsubscribeUrl: `${baseUrl}/.news/one-click/${unsubscribeToken}`,
})

const unsubscribeLink = (letter: Letter, label: string) => ({
  label,
  url: pageUrl(letter, 'unsubscribe', letter.unsubscribeToken),
})

/** In the fragment, which reaches neither a server's log nor a Referer. */
const pageUrl = ({ baseUrl, language }: Letter, kind: 'confirm' | 'unsubscribe', token: string) =>
  `${baseUrl}/.news/${kind}?language=${messagesFor(language).code}#token=${token}`
