import { openCaptured } from './capture.ts'
import type { MailSettings, Transport } from './mail.ts'

/** Captures mails if no `smtpUrl` is set. */
export const openMail = async ({ smtpUrl, from }: MailSettings): Promise<Transport> =>
  smtpUrl === undefined ? openCaptured() : (await import('./smtp.ts')).openSmtp(smtpUrl, from)
