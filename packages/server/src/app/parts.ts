import type { Part } from '@svc/contract/platform'

import { backupAgeMsMax } from '../capabilities/system/index.ts'
import type { Parts } from '../edge/http/operations/parts.ts'
import { DAY_MS, HOUR_MS, systemClock } from '../platform/clock.ts'
import type { BackupsModule } from './backups.ts'
import { databaseConnections } from './database-connections.ts'
import type { Foundation } from './foundation.ts'
import { functionsLevel } from './functions-level.ts'

const ok = (says: string): Part => ({ state: 'ok', says })
const warning = (says: string): Part => ({ state: 'warning', says })
const off = (says: string): Part => ({ state: 'off', says })

const GB = 1e9
const FREE_BYTES_MIN = 2 * GB
/** Tokens and sessions allow for clocks that differ by two seconds. */
const SKEW_MS_MAX = 2_000

/** Every part of the service that an operator may want to look at. What it throws is reported as failing. */
export function partsOf(foundation: Foundation, { backups }: BackupsModule): Parts {
  const { db, blobs, mail, cards, turn, sfu, payments, dataFolder, cluster, settings, clock, ageGuard } =
    foundation

  /** SQLite has no clock of its own: a difference to the monotonic clock since the start is no fault of the clock as it is now. */
  function stepOfClock(): Part {
    const stepMs = Math.round(systemClock.now().getTime() - db.databaseNowMs())
    return ok(
      `${Math.abs(stepMs)} ms ${stepMs < 0 ? 'behind' : 'ahead of'} the time since the start of this process`,
    )
  }

  return {
    async databaseStandby() {
      if (db.engine === 'sqlite') return off('SQLite: one machine, so backups are the only copy')
      const standby = db.standby()
      if (standby === 'synchronous') return ok('every commit waits for a standby')
      return standby === 'none'
        ? warning('PostgreSQL has no synchronous standby: the last writes are lost with its machine')
        : off('not known: add target_session_attrs=read-write to DATABASE_URL if PostgreSQL has a standby')
    },

    databaseConnections: () => databaseConnections(foundation),

    async clock() {
      const leap = ageGuard.waiting()
      if (leap)
        return warning(
          `${leap.now}, but jobs last removed what is old at ${leap.lastRunAt}: they wait an hour, in case that the clock is wrong`,
        )
      if (db.engine === 'sqlite') return stepOfClock()
      const skewMs = Math.round(db.databaseNowMs() - systemClock.now().getTime())
      const says = `${Math.abs(skewMs)} ms ${skewMs < 0 ? 'ahead of' : 'behind'} the database`
      return Math.abs(skewMs) > SKEW_MS_MAX ? warning(`${says}: synchronize both clocks (NTP)`) : ok(says)
    },

    async redis() {
      if (!cluster.shared) return off('one node, in memory')
      const nodes = cluster.nodes().length
      if (!cluster.isLive()) throw new Error('this node has lost its heartbeat in Redis')
      return ok(`${nodes} ${nodes === 1 ? 'node' : 'nodes'}`)
    },

    async files() {
      if (blobs.engine === 's3') return ok('the S3 store')
      const others = cluster.nodes().length - 1
      return others > 0
        ? warning('the data folder of each node: set SVC_BLOBS_URL, unless all nodes share one folder')
        : ok('the data folder')
    },

    async mail() {
      if (mail.name === 'captured') return off('emails are stored, not sent; read them with svc mail')
      await mail.ping()
      return ok('the mail server accepts the sign-in')
    },

    async functions() {
      const found = await functionsLevel(foundation)
      if (found.level === 'none') return off(found.reason)
      const account = found.account === 'own' ? 'an account of their own' : 'the account of the service'
      const says = `${found.level}, ${account}`
      return found.level === 'bubblewrap'
        ? ok(says)
        : warning(`${says}: install bubblewrap for a full sandbox`)
    },

    async cards() {
      if (settings.cards.driver === 'off') return off('SVC_CARDS is off')
      const problem = cards.problem?.()
      return problem === undefined ? ok('the drawing process starts with a card') : warning(problem)
    },

    async turn() {
      const { provider } = settings.turn
      if (provider === 'none') return off('TURN_PROVIDER is none')
      await turn.ping?.()
      if (turn.isOfOneNode && cluster.nodes().length > 1)
        return warning('the embedded relay serves one node: set TURN_URLS or TURN_PROVIDER')
      return ok(provider === 'embedded' ? 'the embedded relay listens' : `${provider} answers`)
    },

    async voice() {
      const { isDown, isOverloaded, members, residentBytes } = sfu.load()
      if (isDown) throw new Error('the relay server has ended and starts again')
      if (isOverloaded) return warning('the relay server is overloaded: new calls are refused')
      return ok(residentBytes === 0 ? 'the relay server starts with a call' : `${members} people in calls`)
    },

    async payments() {
      if (!payments) return off('SVC_BILLING is off')
      if (payments.provider === 'test')
        return warning('the test checkout: everybody gets credit without paying')
      await payments.ping?.()
      return ok('Stripe accepts the key')
    },

    async disk() {
      const { freeBytes } = await dataFolder.storage()
      const says = `${(freeBytes / GB).toFixed(1)} GB free in the data folder`
      return freeBytes < FREE_BYTES_MIN ? warning(`${says}: free some, or add a disk`) : ok(says)
    },

    async backup() {
      const state = backups.state()
      if (state?.failure) throw new Error(state.failure)
      if (!state?.writtenAt)
        return settings.backup.everyHours === 0
          ? off('SVC_BACKUP_HOURS is 0')
          : warning('there is no backup yet')
      const ageMs = Math.max(0, clock.now().getTime() - Date.parse(state.writtenAt))
      const says = `the newest is ${ageText(ageMs)} old${state.verified?.at === state.writtenAt ? ' and verified' : ''}`
      return ageMs > backupAgeMsMax(settings.backup.everyHours)
        ? warning(`${says}: see the log for why there is no newer one`)
        : ok(says)
    },
  }
}

const ageText = (ms: number) =>
  ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} days`
