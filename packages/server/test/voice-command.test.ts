import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newChannelApp } from '../src/testing/channels.ts'
import { engines, startService } from '../src/testing/service.ts'
import { operate } from './operator.ts'

const CHANNEL = '@call'

for (const engine of engines) {
  test(`[VOI-10] an operator suspends the voice calls of a project and resumes them while the service runs, on ${engine}`, async (t) => {
    const service = await startService(engine, { settings: { TURN_PORT: '0' } })
    t.after(() => service.stop())
    const app = await newChannelApp(service, { voice: true })
    const { slug } = app.project
    const ada = await app.join()
    await ada.request({ t: 'channelCreate', channel: CHANNEL, maxMembers: 8, voice: true })
    const join = { t: 'voiceJoin', channel: CHANNEL }
    await ada.request(join)
    const voice = (...args: string[]) => operate(service, 'voice', ...args)

    assert.deepEqual(await voice('suspend', slug), {
      code: 0,
      output: `${slug} can make no voice calls\n`,
      errors: '',
    })
    // Every node checks once a second.
    assert.equal((await ada.next('voice_closed'))['reason'], 'suspended')
    assert.equal((await ada.refusal(join)).code, 'voice_suspended')

    assert.equal((await voice('resume', slug)).code, 0)
    await ada.request(join)
    const unknown = await voice('suspend', 'nobody')
    assert.deepEqual([unknown.code, unknown.errors], [1, 'There is no project with the slug "nobody".\n'])
    assert.equal((await voice('suspend')).code, 2)
    await app.closeAll()
  })
}
