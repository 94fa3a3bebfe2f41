import { type Clock, MINUTE_MS } from '../../../platform/clock.ts'

const CHANNEL_MS = 10 * MINUTE_MS

export type Channels = ReturnType<typeof createChannels>

/** The channels of one allocation: each number belongs to one peer, identified by its port, and each peer has at most one number. */
export function createChannels(clock: Clock, channelsMax: number) {
  const bound = new Map<number, { port: number; expiresAtMs: number }>()
  const numbers = new Map<number, number>()
  const isOver = ({ expiresAtMs }: { expiresAtMs: number }) => clock.elapsedMs() >= expiresAtMs

  function deleteExpired() {
    for (const [number, channel] of bound) {
      if (!isOver(channel)) continue
      bound.delete(number)
      numbers.delete(channel.port)
    }
  }

  return {
    bind(number: number, port: number): 'bound' | 'taken' | 'full' {
      deleteExpired()
      if ((bound.get(number)?.port ?? port) !== port) return 'taken'
      if ((numbers.get(port) ?? number) !== number) return 'taken'
      if (!bound.has(number) && bound.size >= channelsMax) return 'full'
      bound.set(number, { port, expiresAtMs: clock.elapsedMs() + CHANNEL_MS })
      numbers.set(port, number)
      return 'bound'
    },

    portOf(number: number): number | undefined {
      const channel = bound.get(number)
      return channel && !isOver(channel) ? channel.port : undefined
    },

    numberOf(port: number): number | undefined {
      const number = numbers.get(port)
      return number !== undefined && this.portOf(number) === port ? number : undefined
    },
  }
}
