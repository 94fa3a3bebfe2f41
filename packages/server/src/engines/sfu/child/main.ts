import { lookup } from 'node:dns/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'

import type { Who } from '../../../platform/ports/sfu.ts'
import type { Admitted, ChildSettings, Command, FromChild, Request, ToChild } from '../child-messages.ts'
import { newTraffic } from '../traffic.ts'
import { Call } from './call.ts'
import {
  iceCredentialsOf,
  InvalidDescription,
  opusOnly,
  readAnswer,
  readOffer,
  withCandidates,
} from './description.ts'
import { createIceTcp } from './ice-tcp.ts'
import { openOwnMachine } from './own-machine.ts'
import { openPeer } from './peer.ts'
import { bindPorts } from './ports.ts'
import type { IcePasswords } from './stun.ts'
import { TurnLimit } from './turn-limit.ts'
import { openTurnRepair } from './turn-repair.ts'

/**
 * The relay server: a separate process, started by `process.ts` without permission to write files, to read any but its own code, or
 * to start processes. It gets commands over IPC, and receives and sends media on one port. It stores nothing.
 */
const settings = JSON.parse(process.argv[2] ?? '') as ChildSettings
const { slots } = settings
/** A name such as localhost may have several addresses: one is used. */
const { address: host } = await lookup(settings.host)

/** How often changes of speakers are reported, and quiet slots are freed. */
const SPEAKERS_INTERVAL_MS = 200

const calls = new Map<string, Call>()
const changedCalls = new Set<string>()
const traffic = newTraffic()
/** The limit of all calls together. */
const turn = new TurnLimit()
/** The passwords of the members' connections: TCP and the port for TURN accept only packets with one of these user names. */
const passwords: IcePasswords = new Map()
const loopDelay = monitorEventLoopDelay({ resolution: 10 })
loopDelay.enable()

/** Defined if we listen on all addresses. */
const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host]
const engineAddress = loopback ?? host
const tcp = createIceTcp({ address: engineAddress, port: () => port }, passwords)
const { port, repair } = await bindPorts(tcp.server, {
  host,
  preferred: settings.port,
  needsNext: settings.repairsTurn,
})
// The engine binds the port with its first connection and releases it with its last one. Without this one, somebody else could take it
// in between, and a member who joins while the last one leaves could end the process.
const keepsPort = openPeer({ host, port })
await keepsPort.offer(1)
const ownMachine = isLoopback(host) ? openOwnMachine({ address: host, port }, passwords) : undefined
if (repair) openTurnRepair(repair, { address: engineAddress, port }, passwords)

/** The callback: without one, a parent that has just ended is an uncaught EPIPE. */
function send(message: FromChild) {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

async function admit(
  { callId, memberId, offer, canSpeak, address, ptime }: Request & { do: 'admit' },
  requestId: number,
): Promise<Admitted> {
  const { sdp, payloadType, levelId } = readOffer(offer)
  const call = calls.get(callId) ?? newCall(callId)
  call.remove(memberId)
  const peer = openPeer({ host, port })
  const member = call.add(memberId, peer, { requestId, canSpeak, payloadType, levelId })
  const isCurrent = () => call.members.get(memberId) === member
  peer.onFailed = () => {
    if (!isCurrent()) return
    remove({ callId, memberId })
    send({ event: 'gone', callId, memberId })
  }
  try {
    const announced = {
      address: loopback ? address : host,
      port,
      repairPort: repair && port + 1,
      others: (await ownMachine?.addresses()) ?? [],
    }
    const ours = (text: string) => withCandidates(opusOnly(text, ptime), announced)
    const answer = await peer.publish(sdp).catch(refusedByEngine)
    rememberPassword(answer, peer)
    const offered = await peer.offer(slots)
    if (!isCurrent()) throw new Error('replaced or removed meanwhile')
    return { answer: ours(answer), offer: ours(offered) }
  } catch (error) {
    if (isCurrent()) remove({ callId, memberId })
    throw error
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

function newCall(callId: string): Call {
  const call = new Call(slots, traffic, turn, performance.now(), () => changedCalls.add(callId))
  calls.set(callId, call)
  return call
}

function rememberPassword(sdp: string, peer: ReturnType<typeof openPeer>) {
  const { name, password } = iceCredentialsOf(sdp)
  passwords.set(name, password)
  const { close } = peer
  peer.close = () => {
    passwords.delete(name)
    close()
  }
}

function answer({ callId, memberId, sdp }: Request & { do: 'answer' }): null {
  const member = calls.get(callId)?.members.get(memberId)
  if (!member) throw new Error('there is no such member')
  const checked = readAnswer(sdp, slots)
  try {
    member.peer.answer(checked)
  } catch (error) {
    refusedByEngine(error)
  }
  member.isReady = true
  return null
}

function refusedByEngine(error: unknown): never {
  throw new InvalidDescription(`is refused: ${error instanceof Error ? error.message : 'unknown reason'}`)
}

function remove({ callId, memberId }: Who) {
  const call = calls.get(callId)
  call?.remove(memberId)
  if (call?.members.size === 0) calls.delete(callId)
}

function cancel({ callId, memberId, id }: Command & { do: 'cancel' }) {
  const member = calls.get(callId)?.members.get(memberId)
  if (member?.requestId === id) remove({ callId, memberId })
}

function end(callId: string) {
  calls.get(callId)?.close()
  calls.delete(callId)
}

/** If the owner was only slow, it has the members join again. */
function expire(callId: string, call: Call) {
  const memberIds = [...call.members.keys()]
  end(callId)
  for (const memberId of memberIds) send({ event: 'gone', callId, memberId })
}

function renew(callIds: string[]) {
  for (const callId of callIds) {
    const call = calls.get(callId)
    if (call) call.renewedAtMs = performance.now()
  }
}

function run(command: Command) {
  switch (command.do) {
    case 'setCanSpeak':
      return calls.get(command.callId)?.setCanSpeak(command.memberId, command.canSpeak)
    case 'setSpeaking':
      return calls.get(command.callId)?.setSpeaking(command.memberId, command.speaking)
    case 'remove':
      return remove(command)
    case 'cancel':
      return cancel(command)
    case 'renew':
      return renew(command.callIds)
    case 'end':
      return end(command.callId)
  }
}

async function respond(request: Request & { id: number }) {
  const { id } = request
  try {
    const value = request.do === 'admit' ? await admit(request, id) : answer(request)
    send({ event: 'answer', id, value })
  } catch (error) {
    if (error instanceof InvalidDescription) return send({ event: 'refused', id, problem: error.message })
    send({ event: 'failed', id, reason: error instanceof Error ? error.message : 'unknown' })
  }
}

process.on('message', (message: ToChild) => {
  if (message.do === 'admit' || message.do === 'answer') void respond(message)
  else run(message)
})
// The service has ended.
process.on('disconnect', () => process.exit(0))
// The terminal sends Ctrl-C to both; the service then ends calls in order and disconnects.
process.on('SIGINT', () => {})

setInterval(() => {
  const nowMs = performance.now()
  for (const [callId, call] of calls) {
    call.freeQuietSlots(nowMs)
    if (changedCalls.has(callId)) send({ event: 'speakers', callId, slots: call.speakers })
  }
  changedCalls.clear()
}, SPEAKERS_INTERVAL_MS)

setInterval(() => {
  const nowMs = performance.now()
  let members = 0
  for (const [callId, call] of calls) {
    if (nowMs - call.renewedAtMs > settings.leaseMs) expire(callId, call)
    else members += call.members.size
  }
  const { user, system } = process.cpuUsage()
  send({
    event: 'report',
    calls: calls.size,
    members,
    ...traffic,
    cpuMs: (user + system) / 1_000,
    residentBytes: process.memoryUsage.rss(),
    loopDelayMs: loopDelay.percentile(99) / 1e6,
    tcpConnections: tcp.connections(),
  })
  loopDelay.reset()
}, settings.reportMs)

send({ event: 'ready', port })
