import { runPlayers } from './player-process.ts'

const SLOTS = 3

await runPlayers({ features: { saves: true } }, async (player, call, note) => {
  const recordSave = (slot: string, version: number, data: string) =>
    note(`${player} ${slot} ${version} ${data}`)

  const versions = new Map<string, number>()
  for (let count = 1; ; count++) {
    const slot = `slot${count % SLOTS}`
    const path = `/v1/saves/${slot}`
    const known = versions.get(slot)
    if (known !== undefined && count % 10 === 0) {
      // Recorded before the request: a deletion without a response may have happened, and leaves the version unchanged.
      recordSave(slot, known, 'deleted?')
      await call('DELETE', path)
      versions.delete(slot)
      recordSave(slot, known, 'deleted')
      continue
    }
    const data = { count, padding: 'x'.repeat(count % 700) }
    const { version } = await call<{ version: number }>('PUT', path, { data, ifVersion: known ?? 0 })
    versions.set(slot, version)
    recordSave(slot, version, JSON.stringify(data))
  }
})
