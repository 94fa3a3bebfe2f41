import { connect } from '/.svc/sdk.js'

const LINES_MAX = 200
const NEWS_AGAIN_MS = 15_000

const $ = (id) => document.getElementById(id)
const complain = (error) => {
  $('door-says').textContent = error.hint ?? error.message
}

const svc = await connect().catch((error) => {
  complain(error)
  throw error
})
let lobby

/** What strangers write goes into the page as text, and only as text. */
function element(name, { text = '', ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(text, ...children)
  return made
}

// Who reads what was said before is left alone; everybody else sees the newest, also when the keyboard comes up.
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

const nameOf = (member) => member?.displayName ?? 'Somebody'

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
    lobby.members.length === 1 ? 'Only you are here' : `${lobby.members.length} are here`
  $('members').replaceChildren(
    ...[...own, ...others].map((member) =>
      element('li', {
        text: own.includes(member) ? `${nameOf(member)} (you)` : nameOf(member),
        dir: 'auto',
      }),
    ),
  )
}

async function enter(name) {
  // Before joining: the others see the name that one comes with.
  if (name !== svc.player.displayName) await svc.auth.rename(name)
  lobby = await svc.channels.join('lobby')
  lobby.on(
    'message',
    (type, data, from, at) => type === 'chat' && typeof data?.text === 'string' && says(from, data.text, at),
  )
  lobby.on('member_joined', (member) => {
    showMembers()
    note(`${nameOf(member)} is here`)
  })
  lobby.on('member_left', (member) => {
    showMembers()
    note(`${nameOf(member)} has left`)
  })
  lobby.on('reconnecting', () => {
    $('state').textContent = 'Connection lost. Coming back …'
  })
  lobby.on('reconnected', () => {
    $('state').textContent = ''
    showMembers()
  })
  lobby.on('self', ({ canSend }) => {
    $('text').disabled = $('send').disabled = !canSend
  })
  lobby.on('warn', (error) => note(error.code === 'rate_limited' ? 'Not so fast.' : error.message))
  lobby.on('closed', (reason) =>
    leave(reason === 'replaced' ? 'You are in the lobby in another tab.' : 'You are no longer in the lobby.'),
  )

  $('door').hidden = true
  $('lobby').hidden = false
  talk.replaceChildren()
  note('Nothing is kept: who comes later does not see what was said.')
  showMembers()
  $('text').focus()
  void listenToNews(lobby)
}

function leave(why) {
  lobby = undefined
  $('lobby').hidden = true
  $('door').hidden = false
  $('door-says').textContent = why
}

/** The server makes this channel when it first has something to say. */
async function listenToNews(visit) {
  try {
    const news = await svc.channels.join('@announcements')
    news.on('message', (type, data) => {
      $('news').textContent = String(data?.text ?? '')
      $('news').hidden = false
    })
  } catch (error) {
    if (visit === lobby && error.code === 'channel_not_found')
      setTimeout(() => void listenToNews(visit), NEWS_AGAIN_MS)
  }
}

$('door').onsubmit = async (event) => {
  event.preventDefault()
  $('enter').disabled = true
  await enter($('name').value.trim() || svc.player.displayName).catch(complain)
  $('enter').disabled = false
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
$('enter').disabled = false
$('door-says').textContent = 'Enter, and say hello.'
