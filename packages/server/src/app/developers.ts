import { verifyEmail } from '@svc/contract/developers'

import {
  createAccounts,
  createAccountStore,
  createAddressStore,
  createDeveloperSessions,
  createSignIn,
  createSignInStore,
  createSignUp,
  createSignUpStore,
  developerPages,
  developersRoutes,
  signInRoutes,
} from '../capabilities/developers/index.ts'
import {
  createMailLimits,
  createOutbox,
  createOutboxStore,
  createSendStore,
  mailRoutes,
} from '../capabilities/mail/index.ts'
import {
  createAppKeys,
  createKeys,
  createOverview,
  createProjects,
  createProjectStore,
  projectsRoutes,
} from '../capabilities/projects/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { ApiError } from '../platform/api-error.ts'
import type { Environment } from '../platform/environment.ts'
import { createKnownAddresses } from '../platform/known-addresses.ts'
import { ENVIRONMENT_REMOVED, type Ground, type Mouths } from './ground.ts'

export type DeveloperNeeds = {
  /** With the project goes what all wings keep of its environments. */
  removeEnvironment(transaction: Transaction, environmentId: string): Promise<void>
  purgeEnvironment(environmentId: string): Promise<void>
} & Pick<Parameters<typeof createOverview>[1], 'players' | 'dailyActives'>

export type Developers = Awaited<ReturnType<typeof buildDevelopers>>

/** Those who make games: their accounts, projects and keys, and the mail that goes out for all. */
export async function buildDevelopers(ground: Ground, needs: DeveloperNeeds) {
  const { db, bus, counters, clock, random, ids, passwords, audit, secrets, background, log } = ground
  const { failedAttempts, signInProviders: providers, currentConfig } = ground
  const { baseUrl, brand, mail, signUp: mode } = ground.settings

  const projectStore = createProjectStore(db)
  const keys = createKeys(projectStore, {
    clock,
    random,
    ids,
    audit,
    bus,
    counters,
    // Without the environment: the purge of a deleted project would remove the row before other nodes have read it.
    noteRevoked: (transaction, hash) =>
      ground.revocations.note(transaction, { kind: 'key', environmentId: null, subject: hash }),
  })
  const projects = createProjects(projectStore, {
    keys,
    clock,
    random,
    ids,
    audit,
    brand,
    background,
    purgeEnvironment: needs.purgeEnvironment,
    removeEnvironment: needs.removeEnvironment,
    announceRemoval: (environmentId) => bus.publish(ENVIRONMENT_REMOVED, environmentId),
  })
  const overview = createOverview(keys, {
    configVersion: async (environmentId) => (await currentConfig.current(environmentId)).version,
    players: needs.players,
    dailyActives: needs.dailyActives,
  })

  const accountStore = createAccountStore(db)
  const ownerEmail = async (projectId: string, transaction?: Transaction) => {
    const [projectsNow, accountsNow] = transaction
      ? [projectStore.in(transaction), accountStore.in(transaction)]
      : [projectStore, accountStore]
    return (await accountsNow.find((await projectsNow.ownerOf(projectId)) ?? ''))?.email
  }
  const mailLimits = createMailLimits(createSendStore(db), {
    clock,
    key: await ground.keptKey('mail:recipients'),
    ownerEmail,
  })
  const outbox = createOutbox({
    store: createOutboxStore(db),
    transport: ground.mail,
    clock,
    ids,
    random,
    limits: mailLimits,
    report: (problem) => log.warn(problem, 'mail not delivered'),
    reportLimit: (mail) =>
      log.warn(mail, 'mail not sent: the limit of this address or environment is reached'),
    ownerEmail,
  })
  const signUp = createSignUp(createSignUpStore(db), {
    mode,
    clock,
    random,
    baseUrl,
    sendMail: mail.smtpUrl === undefined ? undefined : outbox.send,
  })
  const sessions = createDeveloperSessions(accountStore, clock, random, bus)
  const accounts = createAccounts(accountStore, {
    sessions,
    signUp,
    clock,
    random,
    ids,
    passwords,
    failedAttempts,
    knownAddresses: createKnownAddresses(createAddressStore(db), await ground.signInAddressKey(), clock),
    counters,
    background,
    baseUrl,
    mails: outbox,
  })
  const signIn = createSignIn(createSignInStore(db), {
    accounts,
    sessions,
    endSession: sessions.endByHash,
    providers,
    baseUrl,
    clock,
    random,
    reportFailure: (failure) => log.warn(failure, 'external sign-in failed'),
  })

  /** Where mail is sent, whoever shows something to the public has an address that works. */
  async function requireMayGoLive({ projectId, name }: Environment) {
    if (mail.smtpUrl === undefined || name !== 'production') return
    const owner = await accountStore.find((await projects.ownerOf(projectId)) ?? '')
    if (!owner?.emailVerifiedAt) throw new ApiError('email_not_confirmed')
  }

  return {
    requireMayGoLive,
    keys,
    appKeys: createAppKeys(projectStore, { keys, audit, secrets }),
    projects,
    signUp,
    outbox,
    find: sessions.find,
    signInProviders: signIn.providers,

    mount({ route, page, form }: Mouths) {
      developersRoutes(route, accounts, sessions)
      signInRoutes(route, page, signIn)
      developerPages(page, form, {
        accounts,
        admit: async (address) => ground.admit?.(verifyEmail, {}, address),
      })
      projectsRoutes(route, projects, keys, overview)
      mailRoutes(route, outbox)
    },

    everyMinute: keys.noteUse,
    async everyHour() {
      await accounts.tidy()
      await mailLimits.tidy()
      await signUp.tidy()
      await projects.purgeDeleted()
    },
  }
}
