import { SECOND_MS } from '../../platform/clock.ts'
import type { CallContext } from '../../platform/ports/channel-call.ts'
import { runEach } from '../../platform/run-each.ts'
import { type LiveCalls, VoiceCall } from './call.ts'
import type { CallDeps } from './ports.ts'

export type Calls = ReturnType<typeof createCalls>

const RENEW_MS = 2 * SECOND_MS

/** The calls of this node. */
export function createCalls(deps: CallDeps) {
  const { sfu } = deps
  const live: LiveCalls = new Map()
  let renewing: NodeJS.Timeout | undefined

  const relayed = () => [...live].filter(([, call]) => call.mode === 'sfu')

  sfu.on({
    speakers: (callId, slots) => live.get(callId)?.speakersChanged(slots),
    gone: ({ callId, memberId }) => live.get(callId)?.memberGone(memberId),
    lost() {
      runEach(relayed(), ([, call]) => call.closeForAll('unavailable'))
    },
  })

  /** Uses real time, like the leases of the relay server. A call whose channel may be on another node is not renewed, and expires. */
  function renewLeases() {
    const calls = relayed()
    if (calls.length > 0) sfu.renew(calls.filter(([, call]) => call.isOwned()).map(([id]) => id))
  }

  return {
    open(context: CallContext): VoiceCall {
      renewing ??= setInterval(renewLeases, RENEW_MS).unref()
      return new VoiceCall(context, deps, live)
    },

    /** Calls that the project may no longer have. */
    closeOf(projectId: string, modes: readonly ('p2p' | 'sfu')[]) {
      runEach(live.values(), (call) => {
        if (call.projectId === projectId && call.mode && modes.includes(call.mode))
          call.closeForAll('suspended')
      })
    },

    projects: (): string[] => [...new Set([...live.values()].flatMap(({ projectId }) => projectId ?? []))],

    counts(mode: 'p2p' | 'sfu') {
      const calls = [...live.values()].filter((call) => call.mode === mode)
      return { calls: calls.length, members: calls.reduce((sum, { size }) => sum + size, 0) }
    },

    stop: () => clearInterval(renewing),
  }
}
