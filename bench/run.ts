import { parseArgs } from 'node:util'

import { lazy } from '../packages/server/src/platform/memory/lazy.ts'
import { codeRoomEntries } from './entries/code-rooms.ts'
import { dashboardEntries } from './entries/dashboard.ts'
import { functionsEntries } from './entries/functions.ts'
import {
  type GrowthOptions,
  leaderboardGrowthEntries,
  saveGrowthEntries,
  statGrowthEntries,
} from './entries/growth.ts'
import { hostingEntries, sdkEntries } from './entries/hosting.ts'
import { httpEntries } from './entries/http.ts'
import { leaderboardEntries } from './entries/leaderboards.ts'
import { moneyEntries } from './entries/money.ts'
import { partEntries } from './entries/parts.ts'
import { playerEntries } from './entries/players.ts'
import { poolerEntries } from './entries/pooler.ts'
import { quickMatchEntries } from './entries/quick-match.ts'
import { realtimeEntries } from './entries/realtime.ts'
import { saveEntries } from './entries/saves.ts'
import { sharingEntries } from './entries/sharing.ts'
import { socketEntries } from './entries/sockets.ts'
import { sqliteWriteEntries } from './entries/sqlite-writes.ts'
import { startEntries } from './entries/start.ts'
import { statEntries } from './entries/stats.ts'
import { voiceEntries } from './entries/voice.ts'
import { type Entry, measure } from './harness.ts'
import { runConditions, markdown, save } from './report.ts'
import { startPeers } from './targets/peers.ts'

const { values } = parseArgs({
  allowNegative: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '0.8' },
    connections: { type: 'string', default: '32' },
    only: { type: 'string', multiple: true, default: [] },
    postgres: { type: 'boolean', default: true },
    rows: { type: 'string' },
    peers: { type: 'boolean', default: false },
    name: { type: 'string' },
    guard: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
if (values.guard) {
  const { compareWithKept } = await import('./guard.ts')
  process.exit((await compareWithKept(values.keep)) ? 0 : 1)
}
const { only, postgres } = values
const [rounds, seconds, connections] = [number('rounds'), number('seconds'), number('connections')]
/** The rows of the large tables of growth entries. */
const rows = values.rows === undefined ? undefined : number('rows')
const growth: GrowthOptions = { connections, postgres, rows, wants }

/** Groups of entries with the prefixes of their names, so that servers are started only for selected entries. */
const GROUPS: { names: string[]; open(opened: AsyncDisposableStack): Promise<Entry[]> | Entry[] }[] = [
  {
    names: ['config read', 'key check', 'project list'],
    open: (opened) => httpEntries(opened, { connections, postgres }),
  },
  {
    names: ['player'],
    open: async (opened) => playerEntries(opened, { connections, postgres }, await peers()),
  },
  {
    names: ['save'],
    open: async (opened) => saveEntries(opened, { connections, postgres }, await peers()),
  },
  { names: ['pooler'], open: (opened) => (postgres ? poolerEntries(opened, { connections }) : []) },
  { names: ['leaderboards'], open: (opened) => leaderboardEntries(opened, { connections, postgres }) },
  { names: ['growth of saves'], open: (opened) => saveGrowthEntries(opened, growth) },
  { names: ['growth of stats'], open: (opened) => statGrowthEntries(opened, growth) },
  { names: ['growth of leaderboards'], open: (opened) => leaderboardGrowthEntries(opened, growth) },
  { names: ['growth of the dashboard'], open: (opened) => dashboardEntries(opened, growth) },
  {
    names: ['stats'],
    open: async (opened) => statEntries(opened, { connections, postgres }, await peers()),
  },
  { names: ['quick match'], open: quickMatchEntries },
  { names: ['realtime'], open: (opened) => realtimeEntries(opened, values.peers) },
  { names: ['rooms with code'], open: (opened) => codeRoomEntries(opened, values.peers) },
  {
    names: ['hosting'],
    open: (opened) => hostingEntries(opened, { connections, withPeers: values.peers }),
  },
  { names: ['money'], open: (opened) => moneyEntries(opened, { connections }) },
  {
    names: ['sharing'],
    open: (opened) => sharingEntries(opened, { connections, withPeers: values.peers }),
  },
  {
    names: ['functions'],
    open: (opened) => functionsEntries(opened, { connections, withPeers: values.peers }),
  },
  { names: ['voice'], open: voiceEntries },
  { names: ['SDK'], open: sdkEntries },
  { names: ['SQLite'], open: sqliteWriteEntries },
  { names: ['start'], open: startEntries },
  { names: ['parts'], open: (opened) => partEntries(opened, { postgres }) },
  { names: ['sockets'], open: (opened) => socketEntries(opened, { postgres }) },
]

await using opened = new AsyncDisposableStack()
const peers = lazy(() => (values.peers ? startPeers(opened) : Promise.resolve([])))
const entries: Entry[] = []
for (const { names, open } of GROUPS) {
  if (!names.some((name) => wants(name) || only.some((wanted) => wanted.startsWith(name)))) continue
  entries.push(...(await open(opened)).filter(({ name }) => wants(name)))
}
if (entries.length === 0) throw new Error(`no entry begins with ${only.join(' or ')}`)

const run = runConditions({ rounds, seconds, connections })
const progress = (sentence: string) => console.error(sentence)
const report = { ...run, tables: await measure(entries, { rounds, ms: seconds * 1_000, progress }) }
console.log(markdown(report))
console.error(`kept in ${save(values.name ?? run.commit.slice(0, 10), report)}`)

function wants(name: string): boolean {
  return only.length === 0 || only.some((wanted) => name.startsWith(wanted))
}

function number(name: 'rounds' | 'seconds' | 'connections' | 'rows'): number {
  const value = Number(values[name])
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}
