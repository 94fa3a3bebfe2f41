import { type DeveloperMail, developerMail } from '../../platform/mail/body.ts'

export type Mail = DeveloperMail<'verification' | 'reset' | 'invitation' | 'notice'>

const NOT_YOURS =
  'If you did not create this account, do not confirm it. To make it yours and sign everybody else out, ask for a new password.'
const FIRST_PROOF =
  'Your address was never confirmed for this account. If you set a new password, everything that was attached to the account before is removed: Google and GitHub sign-in, and all sessions.'

export const verificationMail = (to: string, url: string): Mail =>
  developerMail('verification', to, {
    title: 'Confirm your email address',
    paragraphs: ['Someone, probably you, created a developer account with this email address.'],
    button: { label: 'Confirm', url },
    footer: `This link can be used once and expires in 24 hours. ${NOT_YOURS}`,
  })

export const invitationMail = (to: string, url: string): Mail =>
  developerMail('invitation', to, {
    title: 'You are invited as a developer',
    paragraphs: [`You can create a developer account at ${new URL(url).host}.`],
    button: { label: 'Create an account', url },
    footer: 'The link works once, for 7 days. If you did not expect it, ignore this mail.',
  })

/** `isFirstProof`: the link proves the ownership of an address that was never confirmed before. */
export const resetMail = (to: string, url: string, isFirstProof: boolean): Mail =>
  developerMail('reset', to, {
    title: 'Set a new password',
    paragraphs: [
      'A password reset was requested for your developer account.',
      ...(isFirstProof ? [FIRST_PROOF] : []),
    ],
    button: { label: 'Set a new password', url },
    footer:
      'This link can be used once and expires in 30 minutes. If this was not you, ignore this email. Nothing will change.',
  })

const PROVIDER_NAMES: Record<string, string> = { google: 'Google', github: 'GitHub' }

export function removedMail(to: string, providers: string[]): Mail {
  const methods = providers.map((name) => PROVIDER_NAMES[name] ?? name).join(', ')
  return developerMail('notice', to, {
    title: 'Sign-in methods were removed from your developer account',
    paragraphs: [
      `You confirmed your address by setting a new password. These sign-in methods were attached before and were removed: ${methods}. All sessions were ended.`,
      'Projects of the account and their keys stay. Delete projects that you do not know, and revoke keys that others may have.',
    ],
  })
}
