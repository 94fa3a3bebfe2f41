import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { openHostile } from '../../../../testing/hostile-program.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { StartError } from '../process/start-error.ts'

/** Listens, and answers the upgrade of the service. */
const OPENED = `
  $SIG{PIPE} = 'IGNORE';
  my $http = listen_at("$sockets/http.sock");
  report_listening();
  accept(my $stream, $http) or die;
  my $request = '';
  sysread($stream, $request, 4096, length $request) until $request =~ /\\r\\n\\r\\n/;
  syswrite($stream, "HTTP/1.1 101 Switching Protocols\\r\\n\\r\\n");
`

async function start(t: TestContext, script: string) {
  const hostile = await openHostile(t, 'plain')
  const messages: string[] = []
  const ends: string[] = []
  const rooms = await hostile.startRooms(script, {
    onMessage: (bytes) => messages.push(bytes.toString().slice(0, 100)),
    onEnd: (end) => ends.push(end),
  })
  t.after(() => rooms.stop())
  return { hostile, rooms, messages, ends }
}

const ATTACKS: Record<string, string> = {
  'sends no WebSocket frames': `syswrite($stream, 'garbage' x 100); sleep 20;`,
  'promises more than 8 MiB': `syswrite($stream, "\\x81\\x7f" . pack('Q>', 8 * 1024 * 1024 + 1)); sleep 20;`,
  'sends fragments for ever': `1 while syswrite($stream, "\\x01\\x01a"); sleep 20;`,
  'sends one message for ever': `syswrite($stream, "\\x81\\x7f" . pack('Q>', 2 ** 62)); 1 while syswrite($stream, 'x' x 65536); sleep 20;`,
  'sends text that is not UTF-8': `syswrite($stream, "\\x81\\x02\\xc3\\x28"); sleep 20;`,
  'closes its stream and lives on': `close($stream); sleep 20;`,
}

for (const [what, script] of Object.entries(ATTACKS))
  test(`[RWC-12] a process of rooms is ended that ${what}`, async (t) => {
    const { hostile, rooms, messages, ends } = await start(t, OPENED + script)
    await rooms.ended
    assert.deepEqual(ends, ['failed'])
    assert.match(hostile.lines.join(), /^failed: the process of rooms has ended: it (sent|closed) [\w ]+\.$/)
    assert.deepEqual(messages, [])
    rooms.send('[]')
    await rooms.stop()
    assert.deepEqual(ends, ['failed'])
  })

/** How a process ends by itself, and what its end is called. */
const ENDS: Record<string, [end: string, script: string]> = {
  'is killed as by the kernel': ['killed', `kill 'KILL', $$; sleep 20;`],
  'is ended as by an operator': ['killed', `kill 'TERM', $$; sleep 20;`],
  crashes: ['failed', `kill 'SEGV', $$; sleep 20;`],
  aborts: ['failed', `kill 'ABRT', $$; sleep 20;`],
  exits: ['failed', `exit 3;`],
}

for (const [what, [end, script]] of Object.entries(ENDS))
  test(`[RWC-112] the log says why a process has ended that ${what}`, async (t) => {
    const { hostile, rooms, ends } = await start(t, OPENED + script)
    await rooms.ended
    assert.deepEqual(ends, [end])
    assert.equal(hostile.lines.length, 1)
    assert.match(hostile.lines[0] ?? '', new RegExp(`^${end}: the process of rooms has ended: `))
  })

test('[RWC-12] a process of rooms that does not read is ended', async (t) => {
  const { rooms, ends } = await start(t, `${OPENED} sleep 60;`)
  const batch = 'x'.repeat(1024 * 1024)
  await comesTrue('its end', () => {
    rooms.send(batch)
    return ends.length > 0
  })
  assert.deepEqual(ends, ['failed'])
})

test('a process of rooms without its socket, or with a link in its place, does not start', async (t) => {
  const hostile = await openHostile(t, 'plain')
  const target = join(hostile.root, 'target')
  writeFileSync(target, '')
  symlinkSync(target, join(hostile.root, 'link'))
  const events = { onMessage() {}, onEnd() {} }
  for (const script of [
    'report_listening(); sleep 20;',
    `symlink('${target}', "$sockets/http.sock"); report_listening(); sleep 20;`,
    'exit 1;',
    `my $http = listen_at("$sockets/http.sock"); report_listening(); answer($http, "HTTP/1.1 500 No\\r\\n\\r\\n");`,
  ])
    await assert.rejects(hostile.startRooms(script, events), StartError)
})
