import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import fc from 'fast-check'

import type * as Rules from '../../../examples/arena/shared/step.ts'
import { createInstalledProject, type InstalledProject } from '../../sdk/test/installed-project.ts'
import { runs } from '../../server/src/testing/runs.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CORNERS = [100, 900]

describe('the template arena', () => {
  let project: InstalledProject
  before(async () => {
    project = await createInstalledProject()
    await cp(join(ROOT, 'examples/arena'), project.folder, { recursive: true })
  })
  after(() => project.remove())

  test('[RWC-70] has no type errors, in the page and in the room', () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project.folder], { encoding: 'utf8' })
    assert.deepEqual([status, stdout], [0, ''])
  })

  test('[RWC-101] its own tests succeed: bots take the free places, and a restart keeps the game', () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, ['--test'], {
      cwd: project.folder,
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout)
    assert.match(stdout, /pass 3/)
  })

  for (const radius of [10, 36, 70, 99])
    test(`[RWC-102] a ball with a radius of ${radius} never gets stuck, and never leaves the field`, async () => {
      const rules = await rulesWith(radius)
      const input = fc.record({
        dx: fc.constantFrom(-1, -0.5, 0, 0.5, 1),
        dy: fc.constantFrom(-1, -0.5, 0, 0.5, 1),
        dash: fc.boolean(),
        times: fc.integer({ min: 1, max: 60 }),
      })
      const corner = fc.constantFrom(...CORNERS)
      fc.assert(
        fc.property(corner, corner, fc.array(input, { maxLength: 30 }), (x, y, inputs) => {
          const world = worldWith(rules, x, y)
          const ball = world.balls['me'] as Rules.Ball
          for (const { times, ...one } of inputs)
            for (let n = 0; n < times; n++) {
              rules.step(world, 'me', one)
              requireFree(rules, ball, radius)
            }
          while (rules.isDashing(ball)) rules.step(world, 'me', { dx: 0, dy: 0 })
          const before = { ...ball }
          const isFreeToGo = [0, 45, 90, 135, 180, 225, 270, 315].some((degrees) => {
            const [dx, dy] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
            Object.assign(ball, before)
            rules.step(world, 'me', { dx, dy })
            return Math.hypot(ball.x - before.x, ball.y - before.y) > 3
          })
          assert.ok(isFreeToGo, JSON.stringify(before))
        }),
        { numRuns: runs(40, 1_000) },
      )
    })

  /** As a developer would change them. */
  async function rulesWith(radius: number): Promise<typeof Rules> {
    const source = await readFile(join(project.folder, 'shared/step.ts'), 'utf8')
    const changed = source.replace(/RADIUS = 36\b/, `RADIUS = ${radius}`)
    assert.ok(radius === 36 || changed !== source)
    const path = join(project.folder, `shared/step-${radius}.ts`)
    await writeFile(path, changed)
    return import(pathToFileURL(path).href)
  }
})

function worldWith({ ENERGY_MAX, ROUND_SECONDS, RATE }: typeof Rules, x: number, y: number): Rules.World {
  const left = ROUND_SECONDS * RATE
  const seat = { name: 'me', color: 0, bot: false, gems: 0, robbedAt: left }
  const ball = { ...seat, x, y, dx: 1, dy: 0, energy: ENERGY_MAX }
  return { left, balls: { me: ball }, gems: {} }
}

function requireFree({ FIELD, PILLARS }: typeof Rules, { x, y }: Rules.Ball, radius: number) {
  const place = `${x} ${y}`
  assert.ok(Math.min(x, y) >= radius && Math.max(x, y) <= FIELD - radius, place)
  for (const pillar of PILLARS)
    assert.ok(Math.hypot(x - pillar.x, y - pillar.y) > pillar.radius + radius - 0.2, place)
}
