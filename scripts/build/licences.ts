import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package whose code is in ours. */
export type Part = { name: string; version: string; license: string }

/**
 * Writes `licences.txt`, the licences of the packages whose code is in the files, and `parts.json`, their names and versions. `inputs` are
 * the files that were bundled.
 */
export async function writeLicences(root: string, folder: string, inputs: readonly string[]) {
  const homes = new Set(
    inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  )
  const byName = new Map([...homes].map((home) => [home.replace(/^.*node_modules\//, ''), home]))
  const texts: string[] = []
  const parts: Part[] = []
  for (const [name, home] of [...byName].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    texts.push(`${name}\n\n${await licenceOf(name, join(root, home))}`)
    const { version, license } = JSON.parse(await readFile(join(root, home, 'package.json'), 'utf8')) as Part
    parts.push({ name, version, license })
  }
  await writeFile(join(folder, 'parts.json'), `${JSON.stringify(parts, null, 2)}\n`)
  await writeFile(join(folder, 'licences.txt'), texts.join(`\n${'-'.repeat(72)}\n\n`))
}

async function licenceOf(name: string, home: string): Promise<string> {
  const file = (await readdir(home)).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  if (file !== undefined) return readFile(join(home, file), 'utf8')
  // A few packages name their licence, and their authors, in the manifest only.
  const { license, author } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    license?: unknown
    author?: unknown
  }
  if (typeof license !== 'string') throw new Error(`${name} has no licence file`)
  const holder =
    typeof author === 'string' ? author : ((author as { name?: string } | undefined)?.name ?? name)
  return `${license}\nCopyright: ${holder}\n`
}
