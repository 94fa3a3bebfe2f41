/** Classes of rooms that a hostile or careless developer may deploy. Each is called `Hostile`. `server` answers without end. */
export const hostileRooms = (server: string): { name: string; source: string }[] => [
  { name: 'a room that loops at a message', source: room(`onMessage() { for (;;); }`) },
  { name: 'a room that loops in a tick', source: room(`onTick() { for (;;); }`, 20) },
  { name: 'a room that never opens', source: room(`onCreate() { return new Promise(() => {}) }`) },
  { name: 'a room that loops at its start', source: room(`onCreate() { for (;;); }`) },
  { name: 'a room that ends at its start', source: room(`onCreate() { this.end() }`) },
  {
    name: 'a room that throws everywhere',
    source: room(
      `
    onJoin() { throw new Error('join') } onTick() { throw new Error('tick') } onLeave() { throw new Error('leave') }
    onMessage() { throw new Error('message') }`,
      20,
    ),
  },
  {
    name: 'a room that grows',
    source: room(
      `onTick() {
    this.state.grows = (this.state.grows ?? '') + 'x'.repeat(20_000) }`,
      20,
    ),
  },
  {
    name: 'a room that leaks',
    source: room(`onTick() { (this.kept ??= []).push(new Uint8Array(2_000_000).fill(1)) }`, 20),
  },
  {
    name: 'a room that floods its players',
    source: room(
      `onTick() {
    for (let i = 0; i < 500; i++) this.send('flood', 'x'.repeat(1_000)) }`,
      60,
    ),
  },
  {
    name: 'a room that answers anything',
    source: room(`onMessage(_player, data) { return data ?? undefined }`),
  },
  {
    name: 'a room that fetches',
    source: room(`onMessage() {
    for (let i = 0; i < 8; i++) fetch('http://${server}/interim-answers').then((one) => one.text()).catch(() => {}) }`),
  },
  { name: 'a room that kicks everybody', source: room(`onJoin(player) { this.kick(player) }`) },
]

/** `onMessage` handles whatever is sent, whatever its type is called. */
const room = (methods: string, tickRate = 0) => `import { Room } from './room.js'
export class Hostile extends Room {
  static tickRate = ${tickRate}
  messages = new Proxy({}, {
    get: (_, type) => typeof type === 'string' ? (player, data) => this.onMessage?.(player, data) : undefined,
    has: () => true, ownKeys: () => ['x'], getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: () => {} }),
  })
  ${methods}
}
export default { fetch: () => new Response('ok') }
`

const DEEP = `${'['.repeat(5_000)}${']'.repeat(5_000)}`

/** Frames of a hostile player in a room, as text: some fit the contract and are odd, some do not, some are no JSON. */
export const HOSTILE_FRAMES: readonly (string | Uint8Array)[] = [
  '{"t":"send","type":"x","seq":9007199254740992,"rid":"1"}',
  '{"t":"send","type":"x","seq":1e308,"rid":"1"}',
  '{"t":"send","type":"x","seq":-0,"rid":"1"}',
  '{"t":"send","type":"x","seq":-1,"rid":"1"}',
  '{"t":"send","type":"x","seq":0.5,"rid":"1"}',
  '{"t":"send","type":"x","seq":1e999,"rid":"1"}',
  '{"t":"send","type":"x"}',
  '{"t":"send","type":"","rid":"1"}',
  '{"t":"send","type":"__proto__","data":{"__proto__":{"x":1}},"rid":"1"}',
  '{"t":"send","type":"constructor","data":{"constructor":{"prototype":{}}},"rid":"1"}',
  '{"t":"send","type":"toString","rid":"1"}',
  '{"t":"send","type":"x\\u0000\\n[]","data":"\\u0000\\ud800","rid":"1"}',
  '{"t":"send","type":"\\ud800","data":"\\n\\n\\n","rid":"1"}',
  '{"t":"send","type":"x","data":1e999,"rid":"1"}',
  '{"t":"send","type":"x","data":123456789012345678901234567890,"rid":"1"}',
  `{"t":"send","type":"x","data":${DEEP},"rid":"1"}`,
  `{"t":"send","type":"x","data":"${'y'.repeat(16_000)}","rid":"1"}`,
  `{"t":"send","type":"x","data":"${'y'.repeat(70_000)}","rid":"1"}`,
  '{"t":"send","type":"x","to":[],"rid":"1"}',
  '{"t":"send","type":"x","to":["nobody","nobody"],"rid":"1"}',
  '{"t":"send","type":"x","data":{"a":1,"a":2},"rid":"\\n"}',
  `{"t":"send","type":"x","rid":"${'r'.repeat(5_000)}"}`,
  '{"t":"setState","patch":{"__proto__":null,"x":{"y":null}},"rid":"1"}',
  '{"t":"join","roomId":"rom_none","rid":"1"}',
  '{"t":"leave","keepSeat":true,"rid":"1"}',
  '{"t":"leave"}',
  '{"t":"create","mode":"default","options":{"__proto__":1},"rid":"1"}',
  '{"t":"create","mode":"default"}',
  '{"t":"create","mode":"default"}{"t":"create"}',
  '{"t":"nothing"}',
  '[]',
  'null',
  '{',
  '',
  new Uint8Array([0xff, 0xfe, 0x00]),
  new Uint8Array(70_000),
]
