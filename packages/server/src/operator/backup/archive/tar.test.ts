import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

import { pack, unpack } from './tar.ts'

const LONG = `blobs/${'deep-folder/'.repeat(20)}ä file`

async function* files(all: Record<string, string>) {
  for (const [name, text] of Object.entries(all)) {
    const content = Buffer.from(text)
    yield { name, bytes: content.length, content: only(content) }
  }
}
async function* only(content: Buffer) {
  if (content.length > 0) yield content
}
const packed = async (all: Record<string, string>) => Buffer.concat(await Array.fromAsync(pack(files(all))))

async function unpacked(bytes: Buffer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  async function* inChunks() {
    for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777)
  }
  for await (const { name, content } of unpack(inChunks()))
    found[name] = name === 'skipped' ? '' : Buffer.concat(await Array.fromAsync(content)).toString()
  return found
}

test('packed files are unpacked, also by tar: empty, long names, content that is skipped', async () => {
  const all = {
    'a.txt': 'a',
    empty: '',
    skipped: 'x'.repeat(2_000),
    [LONG]: 'y'.repeat(512),
    last: 'z'.repeat(513),
  }
  const archive = await packed(all)
  assert.deepEqual(await unpacked(archive), { ...all, skipped: '' })
  const options = { input: archive, encoding: 'utf8' as const }
  const names = execFileSync('tar', ['-t', '--quoting-style=literal', '-f', '-'], options)
  assert.deepEqual(names.trim().split('\n'), Object.keys(all))
  assert.equal(execFileSync('tar', ['-xO', '-f', '-', LONG], options), 'y'.repeat(512))
})

test('a file that changes while it is packed fails the archive', async () => {
  async function* changing() {
    yield { name: 'a', bytes: 5, content: only(Buffer.from('four')) }
  }
  await assert.rejects(Array.fromAsync(pack(changing())), /a changed while it was packed/)
})

test('names outside of the folder, links and damaged headers are rejected', async () => {
  for (const name of ['../a', 'a/../b', '/a', 'a//b', 'a/.', './a', 'a\\b', `${'x/'.repeat(60)}../a`])
    await assert.rejects(unpacked(await packed({ [name]: 'x' })), /not a backup/, name)
  const link = Buffer.from(await packed({ a: '' }))
  link.write('2', 156)
  await assert.rejects(unpacked(link), /a header is damaged/)
  await assert.rejects(unpacked((await packed({ a: 'x'.repeat(1_000) })).subarray(0, 700)), /truncated/)
})
