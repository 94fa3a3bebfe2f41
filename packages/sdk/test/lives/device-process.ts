import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import { connect, isSvcError, type KeyValueStorage, type Svc } from '../../src/index.ts'

/**
 * The browser of one player, with one tab or two: saves, reports, plays in a room and talks in a channel for as long as it runs. What it
 * stores outlives the process. It notes what the service has confirmed, and what must never happen.
 */
export type Device = { url: string; key: string; storageFile: string; life: string }
export type Command = { do: 'tab' } | { do: 'clear' } | { do: 'clock'; ms: number } | { do: 'finish' }
export type Note =
  | { note: 'player'; id: string }
  | { note: 'saved'; slot: string; n: number }
  | { note: 'reporting' | 'reported' | 'refused' }
  | { note: 'cleared'; reports: number }
  | { note: 'wrong'; what: string }
  | { note: 'finished'; saves: Record<string, number>; points: number }

const SAVE_EVERY_MS = 700
const REPORT_EVERY_MS = 2_000
const TALK_EVERY_MS = 300
const { url, key, storageFile, life } = JSON.parse(process.argv[2] ?? '') as Device

let clockAddedMs = 0
let isFinishing = false
const note = (one: Note) => void process.send?.(one)
const wrong = (what: string) => note({ note: 'wrong', what: `${life}: ${what}` })

const stored = new Map<string, string>(
  existsSync(storageFile) ? JSON.parse(readFileSync(storageFile, 'utf8')) : [],
)
const keep = () => writeFileSync(storageFile, JSON.stringify([...stored]))
const storage: KeyValueStorage = {
  getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => (stored.set(name, value), keep()),
  removeItem: (name) => (stored.delete(name), keep()),
}

const open = async (): Promise<Svc> => {
  for (;;)
    try {
      const platform = { now: () => Date.now() + clockAddedMs }
      const svc = await connect({ url, key, storage, platform })
      note({ note: 'player', id: svc.player.id })
      svc.on('player', ({ id }) => note({ note: 'player', id }))
      svc.on('signed_out', (reason) => wrong(`signed out: ${reason}`))
      return svc
    } catch (error) {
      if (!isTemporary(error)) throw error
      await pause(500)
    }
}

const isTemporary = (error: unknown) =>
  isSvcError(
    error,
    'network_error',
    'request_timeout',
    'unexpected_answer',
    'service_unavailable',
    'refresh_race',
    'rate_limited',
  )

/** One after the other, until the run ends. */
async function repeat(everyMs: number, isOpen: () => boolean, work: () => Promise<unknown>) {
  while (!isFinishing && isOpen()) {
    await work().catch((error: unknown) => isTemporary(error) || wrong(String(error)))
    await pause(everyMs)
  }
}

/** Each tab has a save of its own: those of two tabs would conflict, and have to. */
function play(svc: Svc, slot: string, isOpen = () => true) {
  const saving = repeat(SAVE_EVERY_MS, isOpen, async () => {
    // Greater than those of the lives before.
    const n = Date.now()
    await svc.saves.put(slot, { n })
    note({ note: 'saved', slot, n })
  })
  const reporting = repeat(REPORT_EVERY_MS, isOpen, async () => {
    note({ note: 'reporting' })
    await svc.stats.submit({ points: 1 }).then(
      () => note({ note: 'reported' }),
      (error: unknown) => {
        note({ note: 'refused' })
        throw error
      },
    )
  })
  return Promise.all([saving, reporting])
}

/** What one sender sends is received in order and never twice. */
function checkOrder(where: string) {
  const last = new Map<string, number>()
  return (_type: string, data: unknown) => {
    const { from, n } = data as { from: string; n: number }
    if (n <= (last.get(from) ?? 0)) wrong(`${where}: ${from} ${n} after ${last.get(from)}`)
    last.set(from, n)
  }
}

type Place = { isClosed: boolean; send(type: string, data: unknown): void }

/** Talks in a place for as long as it is there, and returns to it. */
async function talk(enter: () => Promise<Place>) {
  let [place, n]: [Place | undefined, number] = [undefined, 0]
  await repeat(
    TALK_EVERY_MS,
    () => true,
    async () => {
      if (!place || place.isClosed) place = await enter()
      place.send('n', { from: life, n: ++n })
    },
  )
}

async function enterRoom(svc: Svc): Promise<Place> {
  const room = svc.rooms.current ?? (await svc.rooms.resume()) ?? (await svc.rooms.quickMatch('party'))
  const place = { isClosed: false, send: (type: string, data: unknown) => room.send(type, data) }
  room.on('message', inRoom)
  room.on('warn', expected)
  room.on('closed', () => (place.isClosed = true))
  return place
}
async function enterChannel(svc: Svc): Promise<Place> {
  const channel = await svc.channels.join('lobby')
  const place = { isClosed: false, send: (type: string, data: unknown) => channel.send(type, data) }
  channel.on('message', inChannel)
  channel.on('warn', expected)
  channel.on('closed', () => (place.isClosed = true))
  return place
}
/** What cannot be sent during an outage. */
const expected = () => {}
const inRoom = checkOrder('room')
const inChannel = checkOrder('channel')

const first = await open()
const playing: Promise<unknown>[] = [play(first, 'slot1')]
void talk(() => enterRoom(first))
void talk(() => enterChannel(first))
let second: { svc: Svc; isOpen: boolean } | undefined

async function toggleTab() {
  if (second) {
    second.isOpen = false
    second.svc.close()
    second = undefined
    return
  }
  const tab = { svc: await open(), isOpen: true }
  if (isFinishing) return tab.svc.close()
  second = tab
  playing.push(play(tab.svc, 'slot2', () => tab.isOpen))
}

/** As a game that calls `localStorage.clear()`. Answers when the player is stored again. */
async function clear() {
  const hasPlayer = () => [...stored.values()].some((text) => text.includes('refreshToken'))
  const hadPlayer = hasPlayer()
  const kept = [...stored].filter(([name]) => name.includes('.stats.'))
  const reports = kept.reduce((sum, [, text]) => sum + (JSON.parse(text) as unknown[]).length, 0)
  stored.clear()
  keep()
  while (hadPlayer && !hasPlayer()) await pause(50)
  note({ note: 'cleared', reports })
}

/** Who talks may wait for others, who have finished. */
async function finish() {
  isFinishing = true
  await Promise.all(playing)
  // The next visit delivers the reports that are kept.
  first.close()
  const last = await open()
  while ([...stored].some(([name, kept]) => name.includes('.stats.') && kept !== '[]')) await pause(50)
  for (;;)
    try {
      const saves: Record<string, number> = {}
      for (const { key: slot } of await last.saves.list()) {
        const { n } = ((await last.saves.get(slot))?.data ?? { n: 0 }) as { n: number }
        saves[slot] = n
      }
      const { points = 0 } = await last.stats.get()
      return note({ note: 'finished', saves, points })
    } catch (error) {
      if (!isTemporary(error)) throw error
      await pause(500)
    }
}

process.on('message', (command: Command) => {
  const done =
    command.do === 'tab'
      ? toggleTab()
      : command.do === 'clear'
        ? clear()
        : command.do === 'finish'
          ? finish()
          : Promise.resolve(void (clockAddedMs += command.ms))
  done.catch((error: unknown) => wrong(`${command.do}: ${String(error)}`))
})
process.on('disconnect', () => process.exit())
process.on('unhandledRejection', (error) => wrong(`unhandled: ${String(error)}`))
