import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'

import { systemClock } from '../../../platform/clock.ts'
import type { LeftLogCopy } from './left-log.ts'
import { openStore, type StoreSettings } from './open-store.ts'
import { createShipper, type Resumed, type ShipperLimits, type ShipperStatus } from './shipper.ts'

/** The worker thread that copies the log. */
export type ShipWorkerData = {
  path: string
  store: StoreSettings
  limits: ShipperLimits
  resumed: Resumed | undefined
  leftLog: LeftLogCopy | undefined
}

export type ShipMessage =
  | { task: 'ship' }
  | { task: 'mayRestart'; id: number; isForced: boolean }
  | { task: 'restarted' }
  | { task: 'finish'; id: number }

export type ShipReply = { id: number; answer: unknown } | { status: ShipperStatus }

const { path, store, limits, resumed, leftLog } = workerData as ShipWorkerData
const reply = (message: ShipReply) => parentPort?.postMessage(message)
const shipper = createShipper({
  path,
  dataDir: dirname(path),
  store: await openStore(store),
  limits,
  now: () => systemClock.now().getTime(),
  resumed,
  leftLog,
  onStatus: (status) => reply({ status }),
})

async function handle(message: ShipMessage) {
  switch (message.task) {
    case 'ship':
      return shipper.ship()
    case 'mayRestart':
      return reply({ id: message.id, answer: shipper.mayRestart(message.isForced) })
    case 'restarted':
      return shipper.onRestart()
    case 'finish':
      return reply({ id: message.id, answer: await shipper.finish() })
  }
}

parentPort?.on('message', (message: ShipMessage) => void handle(message))
