import { mailBody } from '../../platform/mail-body.ts'

export type Mail = {
  kind: 'verification' | 'reset' | 'invitation'
  environment: null
  to: string
  subject: string
  text: string
  html: string
}

const IGNORE = 'If this was not you, ignore this mail; nothing changes.'

export const verificationMail = (to: string, url: string): Mail => ({
  kind: 'verification',
  environment: null,
  to,
  subject: 'Confirm your email address',
  ...mailBody({
    title: 'Confirm your email address',
    paragraphs: ['Somebody, most likely you, has opened a developer account with this address.'],
    button: { label: 'Confirm', url },
    footer: `The link works once, for 24 hours. ${IGNORE}`,
  }),
})

export const invitationMail = (to: string, url: string): Mail => ({
  kind: 'invitation',
  environment: null,
  to,
  subject: 'You are invited as a developer',
  ...mailBody({
    title: 'You are invited as a developer',
    paragraphs: [`You can create a developer account at ${new URL(url).host}.`],
    button: { label: 'Create an account', url },
    footer: 'The link works once, for 7 days. If you did not expect it, ignore this mail.',
  }),
})

export const resetMail = (to: string, url: string): Mail => ({
  kind: 'reset',
  environment: null,
  to,
  subject: 'Set a new password',
  ...mailBody({
    title: 'Set a new password',
    paragraphs: ['A new password was asked for your developer account.'],
    button: { label: 'Set a new password', url },
    footer: `The link works once, for 30 minutes. ${IGNORE}`,
  }),
})
