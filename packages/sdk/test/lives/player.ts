import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { comesTrue } from '../../../server/src/testing/in-time.ts'
import type { Command, Device, Note } from './device-process.ts'
import { type DeviceNetwork, startDeviceNetwork } from './network.ts'

export type Player = Awaited<ReturnType<typeof startPlayer>>
type Finished = Extract<Note, { note: 'finished' }>

const DEVICE_PROCESS = join(import.meta.dirname, 'device-process.ts')
/** A device may have to wait until all of its time-outs have passed. */
const WAIT_MAX_MS = 180_000

/** One player with a device and a network of its own. `wrong` gets what must not happen. */
export async function startPlayer(
  name: string,
  { port, key, storageFile }: { port: number; key: string; storageFile: string },
  wrong: (what: string) => void,
) {
  const network: DeviceNetwork = await startDeviceNetwork(port)
  /** Reports of a page that was closed meanwhile, or that were kept in a storage that was cleared, may count or not. */
  const reports = { all: 0, confirmed: 0, unknown: 0 }
  const saved = new Map<string, number>()
  let playerId: string | undefined
  let [lives, cleared, underWay] = [0, 0, 0]
  let finished: Finished | undefined
  let page = open()

  function open(): ChildProcess {
    const device: Device = { url: network.url, key, storageFile, life: `${name}.${++lives}` }
    const child = fork(DEVICE_PROCESS, [JSON.stringify(device)], { execArgv: ['--conditions=source'] })
    child.on('message', (one) => heard(one as Note))
    child.on('exit', (code) => child === page && code !== null && wrong(`${device.life} ended with ${code}`))
    return child
  }

  function heard(one: Note) {
    if (one.note === 'player') {
      playerId ??= one.id
      if (one.id !== playerId) wrong(`${name} was ${playerId} and is ${one.id}`)
    } else if (one.note === 'saved') saved.set(one.slot, one.n)
    else if (one.note === 'reporting') [reports.all, underWay] = [reports.all + 1, underWay + 1]
    else if (one.note === 'reported') [reports.confirmed, underWay] = [reports.confirmed + 1, underWay - 1]
    else if (one.note === 'refused') underWay--
    else if (one.note === 'cleared') [cleared, reports.unknown] = [cleared + 1, reports.unknown + one.reports]
    else if (one.note === 'wrong') wrong(one.what)
    else if (one.note === 'finished') finished = one
  }

  const tell = (command: Command) => void page.send(command)

  return {
    name,
    network,
    reports,
    saved,
    tell,
    signal: (name: NodeJS.Signals) => void page.kill(name),
    /** The page is closed without a word, and opened again. */
    async reload() {
      const before = page
      page = undefined as never
      before.kill('SIGKILL')
      await once(before, 'exit')
      reports.unknown += underWay
      underWay = 0
      page = open()
    },
    /** Resolves when the player is stored again. */
    async clear() {
      const before = cleared
      tell({ do: 'clear' })
      await comesTrue(`${name} is stored again`, () => cleared > before, WAIT_MAX_MS)
    },
    async finish(): Promise<Finished> {
      tell({ do: 'finish' })
      await comesTrue(`${name} has finished`, () => finished !== undefined, WAIT_MAX_MS)
      return finished as Finished
    },
    async stop() {
      page.removeAllListeners('exit')
      page.kill('SIGKILL')
      await network.stop()
    },
  }
}
