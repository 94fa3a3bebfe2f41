import { type DeveloperMail, developerMail } from '../../platform/mail/body.ts'

export type Mail = DeveloperMail<'invitation' | 'notice'>

export const invitationMail = (
  to: string,
  { project, role, invitedBy, url }: { project: string; role: string; invitedBy: string; url: string },
): Mail =>
  developerMail('invitation', to, {
    title: `You are invited to the project ${project}`,
    paragraphs: [
      `${invitedBy} invites you to work on ${project} at ${new URL(url).host}, with the role ${role}.`,
      `Sign in with ${to}, or create an account with this address.`,
    ],
    button: { label: 'Look at the invitation', url },
    footer: 'The link works once, for 7 days. If you did not expect it, ignore this mail.',
  })

export const transferMail = (
  to: string,
  { project, owner, url }: { project: string; owner: string; url: string },
): Mail =>
  developerMail('notice', to, {
    title: `${owner} offers you the project ${project}`,
    paragraphs: [
      `If you accept, you become the owner of ${project}: its usage from then on is charged to your account.`,
      `You have 7 days. If you do nothing, ${owner} stays the owner.`,
    ],
    button: { label: 'Look at the offer', url },
  })

export const transferredMail = (to: string, { project, owner }: { project: string; owner: string }): Mail =>
  developerMail('notice', to, {
    title: `${owner} is now the owner of ${project}`,
    paragraphs: [
      `${owner} has accepted your offer. You are an admin of the project from now on.`,
      'Your balance and invoices stay with your account, and usage until now was charged to it.',
    ],
  })

export const deletedMail = (to: string, { project, by }: { project: string; by: string }): Mail =>
  developerMail('notice', to, {
    title: `The project ${project} was deleted`,
    paragraphs: [`${by} has deleted ${project}, of which you were a member, with all its data.`],
  })
