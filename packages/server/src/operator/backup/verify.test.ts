import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'

import { readSettings } from '../../settings.ts'
import { type Service, startService } from '../../testing/service.ts'
import { requireChecksum, withChecksum } from './archive/checksum.ts'
import { pack } from './archive/tar.ts'
import { unpack } from './archive/tar.ts'
import { backUp } from './backup.ts'
import { openFolderPlace } from './places/folder.ts'
import { verifyArchive } from './verify.ts'

let service: Service
before(async () => {
  service = await startService('sqlite')
  const { developer } = await service.newProject()
  await service.money.adjust(developer.email, 500, 'credit')
  await service.close()
})
after(() => service.stop())

const settings = () => readSettings({ SVC_DATA_DIR: service.dataDir })
const change = (sql: string) => {
  using database = new DatabaseSync(join(service.dataDir, 'svc.sqlite'))
  database.exec(sql)
}
let count = 0
/** Backs up what is there now, and returns what its verification found. */
async function backedUp() {
  const file = join(service.dataDir, `${count++}.tar`)
  const { report, notes } = await backUp(settings(), file, { mayLackFiles: true })
  return { file, notes, failures: report?.failures ?? [], notices: report?.notices ?? [] }
}

test('[OPS-20] a backup is verified; nothing of the copy is left', async () => {
  const { failures, notices } = await backedUp()
  assert.deepEqual([failures, notices], [[], []])
  assert.deepEqual(
    (await readdir(service.dataDir)).filter((name) => name.startsWith('backup-')),
    [],
  )
})

test('[OPS-20] a changed audit chain and a changed ledger fail the verification', async () => {
  change(`update audit_entries set action = 'x' || action; update money_transactions set amount = amount + 1`)
  const { failures } = await backedUp()
  change(
    `update audit_entries set action = substr(action, 2); update money_transactions set amount = amount - 1`,
  )
  assert.match(failures.join('\n'), /its audit chain .*\n.*its money ledger: /s)
  assert.deepEqual((await backedUp()).failures, [])
})

test('[OPS-20] a hosted file with other bytes fails the verification; one that is missing in the service is a notice', async () => {
  const insert = (key: string) =>
    change(`insert into hosting_blobs (key, "projectId", sha256, size, state, "changedAt")
      values ('${key}', 'prj_1', '${'0'.repeat(64)}', 1, 'stored', '2026-01-01T00:00:00.000Z')`)
  insert('of/prj_1/changed')
  const blob = join(service.dataDir, 'blobs/of/prj_1/changed')
  await mkdir(dirname(blob), { recursive: true })
  await writeFile(blob, 'other bytes')
  assert.deepEqual((await backedUp()).failures, [
    'its file blobs/of/prj_1/changed has other bytes than it had',
  ])
  await rm(blob)
  const lacking = await backedUp()
  assert.deepEqual(lacking.failures, [])
  assert.match(
    lacking.notes.join(),
    /content of 1 file is missing .* for example the hosted file of\/prj_1\/changed/,
  )
  change(`delete from hosting_blobs`)
})

test('[OPS-21] a damaged database of functions is a notice, and everything else is backed up', async () => {
  const broken = join(service.dataDir, 'functions/data_1/data/stores/files/1.sqlite')
  await mkdir(dirname(broken), { recursive: true })
  await writeFile(broken, 'x'.repeat(20_000))
  await assert.rejects(
    backUp(settings(), join(service.dataDir, 'never.tar')),
    /database of functions functions\/data_1.* is damaged.*--incomplete/,
  )
  assert.equal(existsSync(join(service.dataDir, 'never.tar')), false)
  const { failures, notices } = await backedUp()
  assert.deepEqual(failures, [])
  assert.match(notices.join('\n'), /functions\/data_1\/data\/stores\/files\/1\.sqlite is damaged/)
  await rm(join(service.dataDir, 'functions'), { recursive: true })
})

test('[OPS-20] without the secret key the rest is verified, and the report says so', async () => {
  const { file } = await backedUp()
  const key = join(service.dataDir, 'secret.key')
  await rename(key, `${key}.away`)
  const bytes = openFolderPlace(service.dataDir).read(file.slice(service.dataDir.length + 1))
  const { verifiedAt, notices } = await verifyArchive(settings(), bytes, service.dataDir)
  await rename(`${key}.away`, key)
  assert.ok(verifiedAt)
  assert.match(notices.join(), /no service was started on it: that needs the secret key [0-9a-f]{12}/)
})

/** The archive with another manifest, as if it was written like that. */
async function* withManifest(file: string, changes: object) {
  async function* files() {
    const place = openFolderPlace(dirname(file))
    for await (const packed of unpack(requireChecksum(place.read(file.slice(dirname(file).length + 1))))) {
      if (packed.name !== 'manifest.json') yield packed
      else {
        const manifest = JSON.parse(Buffer.concat(await Array.fromAsync(packed.content)).toString())
        const content = Buffer.from(JSON.stringify({ ...manifest, ...changes }))
        yield { name: packed.name, bytes: content.length, content: [content] as never }
      }
    }
  }
  yield* withChecksum(pack(files()))
}

test('[OPS-17] [OPS-20] another manifest than that of its files: newer, other rows, other files', async () => {
  const { file } = await backedUp()
  const expected: [object, RegExp][] = [
    [
      { format: 2, version: '9.9.9' },
      /written by version 9\.9\.9, and this version .* too old for it: restore it with 9\.9\.9 or newer/,
    ],
    [{ schema: '9999-future', oldestVersion: '99.0.0' }, /too old for it: restore it with 99\.0\.0 or newer/],
    [{ tables: { projects: 7 } }, /its table projects has 1 rows, not 7/],
    [{ tables: { nothing: 1 } }, /its table nothing has no rows, not 1/],
    [{ files: {} }, /damaged: svc\.sqlite is not in the manifest/],
    [{ files: { more: { bytes: 1, sha256: 'x' } } }, /damaged: more is missing/],
    [{ files: { 'svc.sqlite': { bytes: 1, sha256: 'x' } } }, /damaged: svc\.sqlite is not the file/],
  ]
  for (const [changes, reason] of expected) {
    const { verifiedAt, failures } = await verifyArchive(
      settings(),
      withManifest(file, changes),
      service.dataDir,
    )
    assert.equal(verifiedAt, null)
    assert.match(failures.join(), reason)
  }
})
