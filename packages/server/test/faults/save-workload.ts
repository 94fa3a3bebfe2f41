import { letPlay } from './played.ts'

const SLOTS = 3

await letPlay({ features: { saves: true } }, async (player, call, note) => {
  const noteSave = (slot: string, version: number, data: string) =>
    note(`${player} ${slot} ${version} ${data}`)

  const versions = new Map<string, number>()
  for (let count = 1; ; count++) {
    const slot = `slot${count % SLOTS}`
    const path = `/v1/saves/${slot}`
    const known = versions.get(slot)
    if (known !== undefined && count % 10 === 0) {
      // Said before: a deletion whose answer never came may have happened, and leaves the version as it was.
      noteSave(slot, known, 'deleted?')
      await call('DELETE', path)
      versions.delete(slot)
      noteSave(slot, known, 'deleted')
      continue
    }
    const data = { count, padding: 'x'.repeat(count % 700) }
    const { version } = await call<{ version: number }>('PUT', path, { data, ifVersion: known ?? 0 })
    versions.set(slot, version)
    noteSave(slot, version, JSON.stringify(data))
  }
})
