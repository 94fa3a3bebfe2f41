import { limitedAddress } from '../../../platform/network/networks.ts'
import { Counts } from './counts.ts'

/** All connections of members. */
const MEMBERS_MAX = 2_000
/** Many members may share the address of a network without UDP. */
const MEMBERS_PER_ADDRESS_MAX = 500
/** A member has one per network interface, and again after it has reconnected. */
export const PER_MEMBER_MAX = 32
/** Connections that have not sent a valid frame yet. A member is one of them for one round trip. */
export const WAITING_MAX = 512
export const WAITING_PER_ADDRESS_MAX = 64

export type TcpEntry = {
  /** At the first valid frame, with our ICE user name. False: too many, the connection must end. */
  admit(name: string): boolean
  leave(): void
}

/**
 * Who may hold how many TCP connections. Those that have not sent a valid frame are counted apart, so that strangers take nothing from
 * members: if there are too many, the oldest one ends.
 */
export function createTcpLimits() {
  const waiting = new Set<{ address: string; end(): void }>()
  const waitingAt = new Counts(WAITING_PER_ADDRESS_MAX)
  const membersAt = new Counts(MEMBERS_PER_ADDRESS_MAX)
  const ofMember = new Counts(PER_MEMBER_MAX)
  let members = 0

  function makeRoom(address: string) {
    const isAddressFull = waitingAt.isFull(address)
    if (!isAddressFull && waiting.size < WAITING_MAX) return
    for (const oldest of waiting) if (!isAddressFull || oldest.address === address) return oldest.end()
  }

  return {
    count: () => waiting.size + members,

    /** `end` must call `leave`. */
    enter(ip: string, end: () => void): TcpEntry {
      const address = limitedAddress(ip)
      makeRoom(address)
      const entry = { address, end }
      waiting.add(entry)
      waitingAt.add(address)
      let member: string | undefined
      const stopWaiting = () => waiting.delete(entry) && waitingAt.remove(address)

      return {
        admit(name) {
          if (members >= MEMBERS_MAX || membersAt.isFull(address) || ofMember.isFull(name)) return false
          stopWaiting()
          member = name
          members++
          membersAt.add(address)
          ofMember.add(name)
          return true
        },

        leave() {
          stopWaiting()
          if (member === undefined) return
          members--
          membersAt.remove(address)
          ofMember.remove(member)
          member = undefined
        },
      }
    },
  }
}
