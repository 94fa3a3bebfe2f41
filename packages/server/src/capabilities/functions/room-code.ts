import { ApiError } from '../../platform/api-error.ts'
import type { Background } from '../../platform/background.ts'
import type { Environment } from '../../platform/environment.ts'
import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import type { FunctionsEngine } from '../../platform/ports/functions-engine.ts'
import type { RoomProcess, RoomProcessSpec } from '../../platform/ports/room-process.ts'
import type { BindingCalls } from './binding-calls.ts'
import type { Specs } from './owners/specs.ts'
import type { RoomLogs } from './room-logs.ts'
import { isRunnable, manifestOf, type State, type States } from './states.ts'
import type { FunctionsStore } from './store.ts'
import type { Usage } from './usage.ts'

type RoomCodeDeps = {
  states: Pick<States, 'get' | 'read'>
  specs: Pick<Specs, 'ofVersion'>
  engine: Pick<FunctionsEngine, 'startRooms'>
  usage: Pick<Usage, 'meter'>
  bindingCalls: BindingCalls
  /** Undefined where no other node can own the functions. */
  logs: RoomLogs | undefined
  background: Pick<Background, 'run'>
  /** Whether this service can run functions; it does not change. */
  isAvailable(): Promise<boolean>
  /** Throws `feature_unavailable` where it cannot. */
  requireAvailable(): Promise<void>
  environmentOf(environmentId: string): Promise<Environment | undefined>
}

/** What rooms learn of a change (`capabilities/rooms/code/port.ts`). */
type CodeChange =
  | { runs: true; versionId: string; deployedAtMs: number; finishMinutes: number | null }
  | { runs: false; reason: 'suspended' | 'closed' }
type Listener = (environmentId: string, change: CodeChange) => void
type Started = { environmentId: string; process: RoomProcess }
export type RoomCode = ReturnType<typeof createRoomCode>

/** The code that rooms run: which version is live, processes of a version on this node with their usage, and changes. */
export function createRoomCode(store: FunctionsStore, deps: RoomCodeDeps) {
  const { states, specs, engine, usage, background } = deps
  const started = new Set<Started>()
  const listeners: Listener[] = []
  let isAvailable: boolean | undefined
  /** Changes are read and reported one after the other, so that none is reported after a newer one. */
  let reporting: Promise<unknown> = Promise.resolve()

  /** Undefined if no code may run. A value, not a promise, where the state is cached. */
  function stateOf(environmentId: string): Awaitable<State | undefined> {
    if (isAvailable === undefined)
      return deps.isAvailable().then((is) => {
        isAvailable = is
        return stateOf(environmentId)
      })
    return isAvailable ? states.get(environmentId) : undefined
  }

  /** A room process is not asked by requests, so its usage counts none. */
  const meter = ({ environmentId, process }: Started) =>
    usage.meter(environmentId, { takeUsage: () => ({ ...process.takeUsage(), requests: 0, errors: 0 }) })

  function remove(ended: Started) {
    started.delete(ended)
    background.run(() => meter(ended))
  }

  async function requireRunnable(environmentId: string): Promise<State> {
    const state = await states.read(environmentId)
    if (isRunnable(state)) return state
    throw new ApiError(state?.live && state.enabledAt !== null ? 'functions_suspended' : 'functions_disabled')
  }

  async function specOf(
    environmentId: string,
    versionId: string,
  ): Promise<Omit<RoomProcessSpec, 'onMessage' | 'onEnd'>> {
    await deps.requireAvailable()
    const environment = await deps.environmentOf(environmentId)
    if (!environment) throw new ApiError('not_found')
    const state = await requireRunnable(environmentId)
    const version = await store.version(environmentId, versionId)
    if (!version) throw new ApiError('deployment_not_found')
    const { toBinding, toFunctions } = deps.bindingCalls
    const { dataId } = state
    return {
      ...(await specs.ofVersion(environment, state, {
        blobKey: version.blobKey,
        manifest: manifestOf(version),
      })),
      onBindingCall: (...call) => toBinding(environment, ...call),
      onFunctionsCall: (...call) => toFunctions(environment, ...call),
      ...(deps.logs && { onLine: (line) => deps.logs?.add(environmentId, dataId, line) }),
    }
  }

  async function report(environmentId: string) {
    const change = changeOf(await states.read(environmentId))
    for (const listener of listeners) listener(environmentId, change)
    if (!change.runs) await Promise.all(processesOf(environmentId).map((process) => process.stop()))
  }

  const processesOf = (environmentId: string) =>
    [...started].flatMap((each) => (each.environmentId === environmentId ? [each.process] : []))

  /** Reports what is live now; `environmentId` has changed, or may have. */
  async function changed(environmentId: string): Promise<void> {
    if (listeners.length === 0) return
    const reported = reporting.then(() => report(environmentId))
    reporting = reported.catch(() => {})
    return reported
  }
  /** Every environment with a process here. */
  const changedAny = () =>
    runSequentially(
      [...new Set([...started].map(({ environmentId }) => environmentId))].map((id) => () => changed(id)),
    )

  return {
    live: (environmentId: string, className: string) =>
      whenKnown(stateOf(environmentId), (state) => liveOf(state, className)),

    current: (environmentId: string) => whenKnown(stateOf(environmentId), changeOf),

    async start(
      environmentId: string,
      versionId: string,
      events: Pick<RoomProcessSpec, 'onMessage' | 'onEnd'>,
    ): Promise<RoomProcess> {
      const spec = await specOf(environmentId, versionId)
      let mine: Started | undefined
      let isEnded = false
      const process = await engine.startRooms({
        ...spec,
        onMessage: events.onMessage,
        onEnd(end) {
          isEnded = true
          if (mine) remove(mine)
          events.onEnd(end)
        },
      })
      mine = { environmentId, process }
      started.add(mine)
      if (isEnded) remove(mine)
      // A change during the start was reported while this process could not be stopped yet.
      await requireRunnable(environmentId).catch(async (error: unknown) => {
        await process.stop()
        throw error
      })
      return process
    },

    onChange: (listener: Listener) => void listeners.push(listener),

    changed,
    changedAny,
    meterAll: () => runSequentially([...started].map((each) => () => meter(each))),
  }
}

/** Undefined: no code may run, or it exports no such class. */
function liveOf(state: State | undefined, className: string) {
  if (!isRunnable(state)) return undefined
  const { id: versionId, version, manifest } = state.live
  const found = manifest.rooms?.find((room) => room.className === className)
  return found && { versionId, version, tickRate: found.tickRate, generation: state.generation }
}

function changeOf(state: State | undefined): CodeChange {
  if (!isRunnable(state))
    return { runs: false, reason: state?.live && state.enabledAt !== null ? 'suspended' : 'closed' }
  const { id: versionId, createdAt, manifest } = state.live
  return {
    runs: true,
    versionId,
    deployedAtMs: Date.parse(createdAt),
    finishMinutes: manifest.finishMinutes ?? null,
  }
}

const whenKnown = <T, U>(value: Awaitable<T>, then: (value: T) => U): Awaitable<U> =>
  value instanceof Promise ? value.then(then) : then(value)
