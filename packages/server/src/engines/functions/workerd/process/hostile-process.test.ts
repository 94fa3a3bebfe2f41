import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

import { openHostile } from '../../../../testing/hostile-program.ts'
import { comesTrue } from '../../../../testing/in-time.ts'
import { nextAlarmMs } from '../data/alarms.ts'
import { bytesOf } from '../data/stored-bytes.ts'
import { privateBytes } from './proc.ts'
import { StartError } from './start-error.ts'

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

test('a process that reports without end is ended, and after its start nobody reads its reports', async (t) => {
  const flood = `
    $SIG{PIPE} = 'IGNORE';
    1 while syswrite($events, 'x' x 4096);
    print "closed\\n";`
  const hostile = await openHostile(t)
  await assert.rejects(hostile.start(flood), StartError)

  const { kill, ended } = await hostile.start(`
    my ($http, $control) = map { listen_at("$sockets/$_.sock") } 'http', 'control';
    report_listening();
    select(undef, undef, undef, 0.01) until -e '/data/go';
    ${flood}
    sleep 20;`)
  writeFileSync(join(hostile.data, 'go'), '')
  await comesTrue('its reports are closed', () => hostile.lines.includes('closed'))
  kill('SIGKILL')
  await ended
})

test('a process writes to its data and to a small part of the memory only', async (t) => {
  const hostile = await openHostile(t)
  await assert.rejects(
    hostile.start(`
      for my $folder ('/', '/dev', '/dev/shm', '/code', '/usr/lib', '/proc', '/sockets', '/data', '/tmp') {
        print "$folder ", open(my $file, '>', "$folder/file") ? 'written' : 'refused', "\\n";
      }
      for my $name ('autogroup', 'oom_score_adj') {
        print "$name ", open(my $file, '>', "/proc/self/$name") ? 'written' : 'refused', "\\n";
      }
      open(my $file, '>', '/tmp/large');
      my $bytes = 0;
      while (my $written = syswrite($file, 'x' x 1048576)) { $bytes += $written }
      print 'bytes in /tmp: ', $bytes > 17 * 1048576 ? 'many' : 'few', "\\n";`),
    StartError,
  )
  assert.deepEqual(hostile.lines, [
    '/ refused',
    '/dev refused',
    '/dev/shm refused',
    '/code refused',
    '/usr/lib refused',
    '/proc refused',
    '/sockets written',
    '/data written',
    '/tmp written',
    'autogroup refused',
    'oom_score_adj refused',
    'bytes in /tmp: few',
  ])
})

test('memory that is shared counts as the memory of a process', async (t) => {
  const [mmap, read] = process.arch === 'x64' ? [9, 0] : [222, 63]
  const bytes = 64 * 1024 * 1024
  const hostile = await openHostile(t)
  const { pid, kill, ended } = await hostile.start(`
    my ($http, $control) = map { listen_at("$sockets/$_.sock") } 'http', 'control';
    open(my $zeros, '<', '/dev/zero') or die;
    my $address = syscall(${mmap}, 0, ${bytes}, 3, 0x21, -1, 0);
    syscall(${read}, fileno($zeros), $address, ${bytes}) == ${bytes} or die;
    report_listening();
    sleep 20;`)
  assert.ok(privateBytes(pid) > bytes)
  kill('SIGKILL')
  await ended
})

test('a folder of data that was replaced by a link is neither given to the process nor shown to it', async (t) => {
  const hostile = await openHostile(t)
  const target = join(hostile.root, 'target')
  mkdirSync(target)
  writeFileSync(join(target, 'file'), '')
  const owner = lstatSync(join(target, 'file')).uid
  for (const name of ['stores', 'objects']) {
    rmSync(join(hostile.data, name), { recursive: true, force: true })
    symlinkSync(target, join(hostile.data, name))
    await assert.rejects(hostile.start('print "started\\n";'), StartError)
    rmSync(join(hostile.data, name))
  }
  assert.deepEqual(hostile.lines, [])
  assert.equal(lstatSync(join(target, 'file')).uid, owner)
})

test('the service opens no FIFO and follows no link in the data of a process', async (t) => {
  const hostile = await openHostile(t)
  const folder = join(hostile.data, 'objects', 'object-Counter')
  mkdirSync(folder, { recursive: true })
  execFileSync('mkfifo', [join(folder, 'metadata.sqlite'), join(folder, 'a.sqlite')])
  symlinkSync('/etc/passwd', join(folder, 'b.sqlite'))
  assert.equal(nextAlarmMs(hostile.data), undefined)
  assert.equal(await bytesOf(hostile.data, { type: 'durable_object', id: 'Counter' }), 0)
})
