import { connect } from '/.svc/sdk.js'

import { createTalk } from './talk.js'

const LINES_MAX = 200

const $ = (id) => document.getElementById(id)
const complain = (error) => {
  $('join-status').textContent = error.hint ?? error.message
}

const svc = await connect().catch((error) => {
  complain(error)
  throw error
})
let lobby

/** Text from other players is inserted as text, never as HTML. */
function element(name, { text = '', ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(text, ...children)
  return made
}

// Stays at the newest message, even when the keyboard opens, unless the visitor has scrolled up to read.
const talk = $('talk')
let isAtEnd = true
const stayAtEnd = () => {
  if (isAtEnd) talk.scrollTop = talk.scrollHeight
}
talk.onscroll = () => {
  isAtEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80
}
new ResizeObserver(stayAtEnd).observe(talk)

function add(line) {
  talk.append(line)
  while (talk.children.length > LINES_MAX) talk.firstChild.remove()
  isAtEnd ||= line.classList.contains('mine')
  stayAtEnd()
}

const note = (text) => add(element('li', { className: 'note', text }))

const nameOf = (member) => member?.displayName ?? 'A player'

function says(from, text, at) {
  const isMine = from === svc.player.id
  const who = isMine ? 'You' : nameOf(lobby.members.find(({ id }) => id === from))
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  add(
    element(
      'li',
      { className: isMine ? 'says mine' : 'says' },
      element(
        'span',
        {},
        element('strong', { text: who, dir: 'auto' }),
        element('time', { text: time, dateTime: at }),
      ),
      element('p', { text, dir: 'auto' }),
    ),
  )
}

function showMembers() {
  const own = lobby.members.filter(({ id }) => id === svc.player.id)
  const others = lobby.members
    .filter(({ id }) => id !== svc.player.id)
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
  $('count').textContent =
    lobby.members.length === 1 ? 'You are the only one here' : `${lobby.members.length} people here`
  lines = new Map([...own, ...others].map((member) => [member.id, lineOf(member, own.includes(member))]))
  $('members').replaceChildren(...lines.values())
  showVoice()
}

/** One line per member, by player id. */
let lines = new Map()

function lineOf(member, isMe) {
  if (isMe) return element('li', { text: `${nameOf(member)} (you)`, dir: 'auto' })
  const volume = element('input', { type: 'range', min: 0, max: 1, step: 0.05, value: 1, hidden: true })
  volume.ariaLabel = `Volume of ${nameOf(member)}`
  volume.oninput = () => voice.setVolume(member.id, volume.valueAsNumber)
  return element('li', { text: nameOf(member), dir: 'auto' }, volume)
}

const voice = createTalk(svc, {
  changed: showVoice,
  tell: note,
  blocked: () => ($('voice-hear').hidden = false),
})

/** The lines stay the same elements: the visitor may be moving a volume slider while others speak. */
function showVoice() {
  $('voice-talk').textContent = voice.isIn ? 'Leave call' : 'Talk'
  $('voice-mute').hidden = !voice.isIn
  $('voice-mute').setAttribute('aria-pressed', String(voice.isMuted))
  $('voice-mute').textContent = voice.isMuted ? 'Unmute' : 'Mute'
  if (!voice.isIn) $('voice-hear').hidden = true

  const inCall = new Map(voice.members.map((member) => [member.id, member]))
  for (const [id, line] of lines) {
    const member = inCall.get(id)
    line.className = member ? (member.isSpeaking ? 'in-call talking' : 'in-call') : ''
    const volume = line.querySelector('input')
    if (!volume) continue
    volume.hidden = !member
    if (member) volume.value = member.volume
  }
  const talking = voice.members.filter(({ isSpeaking }) => isSpeaking).map(nameOf)
  $('voice-now').textContent = !voice.isIn
    ? ''
    : voice.isLost
      ? 'Call: reconnecting …'
      : talking.length > 0
        ? `${talking.join(', ')} ${talking.length === 1 ? 'is' : 'are'} talking`
        : `${inCall.size} in the call`
}

$('voice-talk').onclick = async () => {
  $('voice-talk').disabled = true
  await (voice.isIn ? voice.leave() : voice.join())?.catch((error) => note(error.hint ?? error.message))
  $('voice-talk').disabled = false
}
$('voice-mute').onclick = () => voice.toggleMute()
$('voice-hear').onclick = () => {
  voice.hear()
  $('voice-hear').hidden = true
}

async function enter(name) {
  // Before joining, so that the others see this name.
  if (name !== svc.player.displayName) await svc.auth.rename(name)
  lobby = await svc.channels.join('lobby')
  lobby.on('message', (type, data, from, at) => {
    if (typeof data?.text !== 'string') return
    if (type === 'chat') says(from, data.text, at)
    // svc sets the sender of each message, so players cannot pretend to be the server.
    if (type === 'announcement' && from === 'server') announce(data.text)
  })
  lobby.on('member_joined', (member) => {
    showMembers()
    note(`${nameOf(member)} is here`)
  })
  lobby.on('member_left', (member) => {
    showMembers()
    note(`${nameOf(member)} has left`)
  })
  lobby.on('reconnecting', () => {
    $('state').textContent = 'Connection lost. Reconnecting …'
  })
  lobby.on('reconnected', () => {
    $('state').textContent = ''
    showMembers()
  })
  lobby.on('self', ({ canSend }) => {
    $('text').disabled = $('send').disabled = !canSend
  })
  lobby.on('warn', (error) =>
    note(error.code === 'rate_limited' ? 'You are sending messages too fast.' : error.message),
  )
  lobby.on('closed', (reason) => leave(banText() ?? CLOSED[reason] ?? 'You are no longer in the lobby.'))

  $('join-form').hidden = true
  $('lobby').hidden = false
  talk.replaceChildren()
  note('Messages are not stored. People who join later do not see earlier messages.')
  showMembers()
  $('text').focus()
}

const CLOSED = {
  replaced: 'You joined the lobby in another tab.',
  kicked: 'You were removed from the lobby. You can join again.',
  banned: 'You were removed from the lobby and cannot join again.',
}

/** Why the visitor is banned, and until when; undefined without a ban. */
function banText() {
  const { ban } = svc.player
  if (!ban) return undefined
  const until = ban.until ? ` until ${ban.until.toLocaleString()}` : ''
  return `You are banned${until}.${ban.reason ? ` Reason: ${ban.reason}` : ''}`
}

/** A banned visitor sees the reason instead of the form, on every visit. */
svc.on('banned', () => {
  $('enter').disabled = true
  $('join-status').textContent = banText()
})

function leave(why) {
  voice.leave()
  lobby = undefined
  $('lobby').hidden = true
  $('join-form').hidden = false
  $('join-status').textContent = why
}

function announce(text) {
  $('news').textContent = text
  $('news').hidden = false
}

$('join-form').onsubmit = async (event) => {
  event.preventDefault()
  $('enter').disabled = true
  await enter($('name').value.trim() || svc.player.displayName).catch(complain)
  $('enter').disabled = svc.player.ban !== undefined
}

$('say').onsubmit = (event) => {
  event.preventDefault()
  const text = $('text').value.trim()
  if (text !== '') lobby.send('chat', { text })
  $('text').value = ''
}

// On a wide screen the list of people is always open.
const wide = matchMedia('(min-width: 48rem)')
const openList = () => {
  $('here').open = wide.matches
}
wide.onchange = openList
openList()

$('name').value = svc.player.displayName
$('name').select()
$('enter').disabled = svc.player.ban !== undefined
$('join-status').textContent = banText() ?? 'Join and say hello.'
