// Sends an announcement to everyone in the lobby:  npm run announce -- "The finals begin at eight"
const MESSAGES = `${process.env.SVC_URL}/v1/realtime/channels/lobby/messages`

const text = process.argv.slice(2).join(' ').trim()
if (text === '') {
  console.error('Usage:  npm run announce -- "Hello"')
  process.exit(2)
}

const response = await fetch(MESSAGES, {
  method: 'POST',
  headers: {
    'X-Svc-Key': process.env.SVC_KEY ?? process.env.SVC_DEVELOPMENT_SECRET_KEY,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ type: 'announcement', data: { text } }),
  signal: AbortSignal.timeout(10_000),
})
const { delivered = 0, error } = await response.json()
// The lobby exists while it has a member.
if (error && error.code !== 'channel_not_found') throw new Error(`${error.code}: ${error.message}`)
console.log(`Delivered to ${delivered} ${delivered === 1 ? 'visitor' : 'visitors'}`)
