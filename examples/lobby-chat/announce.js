// Says something to everybody in the lobby:  npm run announce -- "The finals begin at eight"
// The channel is made here, with a secret key, so that nobody but a server can speak in it.
const CHANNEL = `${process.env.SVC_URL}/v1/realtime/channels/@announcements`
const headers = {
  'X-Svc-Key': process.env.SVC_KEY ?? process.env.SVC_DEVELOPMENT_SECRET_KEY,
  'Content-Type': 'application/json',
}

async function call(method, url, body) {
  const request = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) }
  const answer = await fetch(url, request)
  const result = await answer.json()
  if (!answer.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result
}

const text = process.argv.slice(2).join(' ').trim()
await call('PUT', CHANNEL, { send: 'server', maxMembers: 1000 })
if (text === '') console.log('The channel is there. Say something:  npm run announce -- "Hello"')
else {
  const { delivered } = await call('POST', `${CHANNEL}/messages`, { type: 'announcement', data: { text } })
  console.log(`${delivered} ${delivered === 1 ? 'visitor' : 'visitors'} heard it`)
}
