import { LIMITS } from '@svc/contract/common/limits'
import { LOCAL_EMAIL, verifyEmail } from '@svc/contract/developers/developers'

import {
  createAccountDeletion,
  createAccounts,
  createAccountStore,
  createAddressStore,
  createBrowserCodes,
  createDeveloperSessions,
  createDeviceCodes,
  createDeviceCodeStore,
  createSignIn,
  createSignInStore,
  createSignUp,
  createSignUpStore,
  developerPages,
  developersRoutes,
  deviceCodeRoutes,
  operatorRoutes,
  platformRoutes,
  signInRoutes,
} from '../capabilities/developers/index.ts'
import {
  createAppKeys,
  createKeys,
  createProjects,
  createProjectStore,
} from '../capabilities/projects/index.ts'
import { NO_CALLER } from '../edge/http/callers/callers.ts'
import type { Developer } from '../platform/environment.ts'
import { hourly, hourlyRemoval } from '../platform/jobs/jobs.ts'
import { operatorSocketIn } from '../platform/operator-socket.ts'
import { createKnownAddresses } from '../platform/security/known-addresses.ts'
import { VERSION } from '../version.ts'
import { ENVIRONMENT_REMOVED, type Foundation, type Mounts, PROJECT_RENAMED } from './foundation.ts'
import type { MembersModule } from './members.ts'
import type { Money } from './money.ts'

export type Developers = Awaited<ReturnType<typeof buildDevelopers>>

/** Developers: their accounts, projects and keys. */
export async function buildDevelopers(foundation: Foundation, money: Money, team: MembersModule) {
  const { tools, db, bus, clock, random, audit, secrets, log, outbox } = foundation
  const { events, signInProviders: providers, unavailable } = foundation
  const { appsDomain, brand, dataDir, mail, signUp: mode, isLocal, rateLimits } = foundation.settings

  const projectStore = createProjectStore(db)
  const keys = createKeys(projectStore, {
    ...tools,
    // Without the environment: the purge of a deleted project would remove the row before other nodes have read it.
    recordRevoked: (transaction, hash) =>
      foundation.revocations.note(transaction, { kind: 'key', environmentId: null, subject: hash }),
  })
  const projects = createProjects(projectStore, {
    ...tools,
    keys,
    brand,
    ownerExists: async (transaction, developerId) =>
      (await createAccountStore(db).in(transaction).find(developerId)) !== undefined,
    async purgeEnvironment(environmentId) {
      await events.emit('environment.purging', environmentId)
      await foundation.purgeEnvironment(environmentId)
      await events.emit('environment.purged', environmentId)
    },
    removeEnvironment: (...removed) => events.emit('environment.removing', ...removed),
    removeMembers: team.members.projectRemoved,
    announceRename: (slug) => bus.publish(PROJECT_RENAMED, slug),
    announceRemoval: (environmentId) => bus.publish(ENVIRONMENT_REMOVED, environmentId),
  })

  const accountStore = createAccountStore(db)
  const signUp = createSignUp(createSignUpStore(db), {
    ...tools,
    mode,
    sendMail: mail.smtpUrl === undefined ? undefined : outbox.send,
  })
  const ownSessions = createDeveloperSessions(accountStore, clock, random, bus)
  const sessions: typeof ownSessions = {
    ...ownSessions,
    async endOthers(transaction, developerId, token) {
      await events.emit('developer.sessions-ending', transaction, developerId)
      return ownSessions.endOthers(transaction, developerId, token)
    },
  }
  const knownAddresses = createKnownAddresses(
    createAddressStore(db),
    await foundation.signInAddressKey(),
    clock,
  )
  const accounts = createAccounts(accountStore, {
    ...tools,
    sessions,
    signUp,
    invites: money.invites,
    creditSetUp: money.creditSetUp,
    knownAddresses,
    mails: outbox,
  })
  const deleteAccount = createAccountDeletion(accountStore, {
    accounts,
    sessions,
    knownAddresses,
    projectsOf: projectStore.listForDeletion,
    countMembers: team.members.count,
    leaveProjects: team.members.leaveAll,
    chargeUsage: money.chargeUsage,
    closeMoney: money.close,
    removeMails: outbox.removeToDeveloper,
  })
  const signIn = createSignIn(createSignInStore(db), {
    ...tools,
    accounts,
    sessions,
    endSession: sessions.endByHash,
    invites: money.invites,
    providers,
    reportFailure: (failure) => log.warn(failure, 'external sign-in failed'),
  })
  /** Both are unknown while the database is down. */
  const readLocal = async () => ({
    account: (await accountStore.findByEmail(LOCAL_EMAIL).catch(() => undefined))?.email ?? null,
    operatorSocket: (await signUp.awaitsOperator().catch(() => false)) ? operatorSocketIn(dataDir) : null,
  })
  const isLimited = rateLimits !== 'off'
  const deviceCodes = createDeviceCodes(createDeviceCodeStore(db), {
    ...tools,
    sessions,
    knownAddresses,
    limits: {
      wrongCodesPerHourMax: isLimited ? LIMITS.wrongDeviceCodesPerHourMax : Infinity,
      pollsPerMinuteMax: isLimited ? LIMITS.deviceCodePollsPerMinuteMax : Infinity,
    },
  })

  return {
    keys,
    appKeys: createAppKeys(projectStore, { label: 'hosting', type: 'publishable' }, { keys, audit, secrets }),
    functionKeys: createAppKeys(
      projectStore,
      { label: 'functions', type: 'secret' },
      { keys, audit, secrets },
    ),
    projectsOf: (developerId: string) => projectStore.list(developerId),
    projects,
    signUp,
    find: sessions.find,
    /** Undefined if the account was deleted. */
    async findById(developerId: string): Promise<Developer | undefined> {
      const account = await accountStore.find(developerId)
      if (!account) return undefined
      const { id, email, name, isOperator } = account
      return { id, email, name, isOperator: isOperator === 1 }
    },
    requireProof: accounts.requireProof,
    onSessionEnd: sessions.onEnd,

    mount(mounts: Mounts) {
      const { route, page, form } = mounts
      team.mount(mounts, accounts.requireProof)
      developersRoutes(route, { signUp, accounts, sessions, deleteAccount })
      signInRoutes(route, page, signIn)
      deviceCodeRoutes(
        route,
        deviceCodes,
        createBrowserCodes(accountStore, { ...tools, sessions, knownAddresses }),
      )
      developerPages(page, form, {
        accounts,
        enforceRateLimit: async (address) => foundation.enforceRateLimit?.(verifyEmail, NO_CALLER, address),
      })
      operatorRoutes(route, signUp)
      platformRoutes(
        route,
        {
          oauthProviders: signIn.providers,
          version: VERSION,
          hostingDomain: appsDomain,
          signUp: mode,
          mail: mail.smtpUrl === undefined ? 'kept' : 'sent',
          billing: foundation.payments?.provider ?? 'off',
        },
        { clock, unavailable, isNew: signUp.isNew, readLocal: isLocal ? readLocal : undefined },
      )
    },

    everyMinute: keys.recordUse,
    jobs: [
      ...team.jobs,
      hourlyRemoval(
        'developers.purge',
        accounts.purgeExpired,
        signIn.purgeExpired,
        signUp.purgeExpired,
        deviceCodes.purgeExpired,
      ),
      hourly('projects.purge', projects.purgeDeleted),
    ],
  }
}
