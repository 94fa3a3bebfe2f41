import { emailCalls } from './email-players.ts'
import { asGuest } from './guests.ts'
import type { Service, TestEnvironment } from './service.ts'

/** The links of the newest mail about news to this address. */
export async function newsLinksTo(service: Service, email: string) {
  const mails = await service.mailsTo(email)
  const text = mails.find((mail) => mail.text.includes('/.news/'))?.text ?? ''
  const [confirmUrl = '', confirm = ''] =
    /(\S+\/\.news\/confirm\?language=[\w-]+)#token=([\w-]+)/.exec(text)?.slice(1) ?? []
  const [unsubscribeUrl = '', unsubscribe = ''] =
    /(\S+\/\.news\/unsubscribe\?language=[\w-]+)#token=([\w.-]+)/.exec(text)?.slice(1) ?? []
  return { text, confirmUrl, confirm, unsubscribeUrl, unsubscribe }
}

/** A player who checked the box at sign-up. */
export async function newUnconfirmedSubscriber(
  side: Pick<TestEnvironment, 'public'>,
  email: string,
  rest: object = {},
) {
  const { body } = await emailCalls(side).signUp(email, { newsOptIn: true, ...rest })
  return asGuest(side.public, body)
}

/** A player who checked the box and clicked the link. */
export async function newSubscriber(service: Service, side: Pick<TestEnvironment, 'public'>, email: string) {
  const player = await newUnconfirmedSubscriber(side, email)
  const { confirm } = await newsLinksTo(service, email)
  await service.call('POST', '/v1/news/confirm', { token: confirm })
  return player
}
