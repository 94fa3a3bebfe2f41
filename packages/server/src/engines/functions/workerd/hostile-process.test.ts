import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

import { openHostile } from '../../../testing/hostile-program.ts'
import { comesTrue } from '../../../testing/in-time.ts'
import { StartError } from './process.ts'

/** A socket that only the service may use, as that of operators. */
async function openPrivateSocket(t: TestContext, folder: string) {
  const path = join(folder, 'private.sock')
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.end('private')
  }).listen(path)
  t.after(() => server.close())
  await once(server, 'listening')
  return { path, connections: () => connections }
}

test('a link in place of the socket of a process is not followed', async (t) => {
  for (const name of ['http', 'control']) {
    const hostile = await openHostile(t, 'plain')
    const target = await openPrivateSocket(t, hostile.root)
    const other = name === 'http' ? 'control' : 'http'
    await assert.rejects(
      hostile.start(`
        my $socket = listen_at("$sockets/${other}.sock");
        symlink('${target.path}', "$sockets/${name}.sock") or die;
        report_listening();
        sleep 20;`),
      StartError,
    )
    assert.equal(target.connections(), 0)
  }
})

test('a process cannot replace its sockets when it has started', async (t) => {
  const hostile = await openHostile(t, 'plain')
  const target = await openPrivateSocket(t, hostile.root)
  const { httpSocket, controlSocket, kill, ended } = await hostile.start(`
    my ($http, $control) = map { listen_at("$sockets/$_.sock") } 'http', 'control';
    report_listening();
    select(undef, undef, undef, 0.01) until -e '${hostile.root}/go';
    for my $name ('http', 'control') { unlink("$sockets/$name.sock"); symlink('${target.path}', "$sockets/$name.sock") or die }
    print "replaced\\n";
    answer($http, 'own');`)
  writeFileSync(join(hostile.root, 'go'), '')
  await comesTrue('its sockets are replaced', () => hostile.lines.includes('replaced'))

  assert.equal(await text(connect(httpSocket)), 'own')
  const control = connect(controlSocket)
  await once(control, 'connect')
  control.destroy()
  assert.equal(target.connections(), 0)

  kill('SIGKILL')
  await ended
})
