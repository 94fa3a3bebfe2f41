import { LIMITS } from '@svc/contract/common/limits'

import { createAccountStore } from '../capabilities/developers/index.ts'
import {
  createInvitations,
  createMembers,
  createMemberStore,
  createTransfers,
  membersRoutes,
} from '../capabilities/members/index.ts'
import { createProjectStore } from '../capabilities/projects/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Money } from './money.ts'

export type MembersModule = ReturnType<typeof buildMembers>

/** Topics of the bus: `<project> <developer>` whose role has changed; a project with another owner. */
const MEMBER_CHANGED = 'members'
const OWNER_CHANGED = 'project-owners'

/** Members of projects: roles, invitations, transfer of ownership. */
export function buildMembers(foundation: Foundation, money: Pick<Money, 'chargeUsage' | 'owes'>) {
  const { tools, db, bus, events, revocations, outbox } = foundation
  const { mail, rateLimits } = foundation.settings
  const store = createMemberStore(db)
  const [accountStore, projectStore] = [createAccountStore(db), createProjectStore(db)]
  const projects = (transaction?: Transaction) => (transaction ? projectStore.in(transaction) : projectStore)

  const deps = {
    ...tools,
    accounts: (transaction?: Transaction) => (transaction ? accountStore.in(transaction) : accountStore),
    projects,
    sendMail: outbox.send,
    sendsMail: mail.smtpUrl !== undefined,
    recordChanged: (transaction: Transaction, projectId: string, developerId: string) =>
      revocations.note(transaction, {
        kind: 'member',
        environmentId: null,
        subject: `${projectId} ${developerId}`,
      }),
    endAgents: (transaction: Transaction, projectId: string, developerId: string) =>
      events.emit('member.ending', transaction, projectId, developerId),
    announce: (projectId: string, developerId: string) =>
      bus.publish(MEMBER_CHANGED, `${projectId} ${developerId}`),
  }
  bus.subscribe(MEMBER_CHANGED, (subject) => {
    const [projectId = '', developerId = ''] = subject.split(' ')
    foundation.background.run(() => events.emit('member.changed', projectId, developerId))
  })
  bus.subscribe(OWNER_CHANGED, (projectId) =>
    foundation.background.run(() => events.emit('owner.changed', projectId)),
  )

  const members = createMembers(store, deps)
  const invitations = createInvitations(store, {
    ...deps,
    invitationsPerHourMax: rateLimits === 'off' ? Infinity : LIMITS.memberInvitationsPerHourMax,
  })

  return {
    members,

    /** `requireProof`: throws unless the developer proves their identity again. */
    mount({ route }: Mounts, requireProof: Parameters<typeof createTransfers>[1]['requireProof']) {
      const transfers = createTransfers(store, {
        ...deps,
        requireProof,
        chargeUsage: money.chargeUsage,
        isOverdue: money.owes,
        recordOwnerChanged: (transaction, projectId) =>
          revocations.note(transaction, { kind: 'owner', environmentId: null, subject: projectId }),
        announceOwner: (projectId) => bus.publish(OWNER_CHANGED, projectId),
      })
      membersRoutes(route, { members, invitations, transfers })
    },

    jobs: [hourlyRemoval('members.purge', members.purgeExpired)],
  }
}
