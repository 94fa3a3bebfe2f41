import type { LiveRoom } from '@svc/contract/realtime/rooms'
import { Component } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { age, counted } from '../../format.ts'
import { Icon } from '../../ui/icon.tsx'
import { HiddenIcon, LockIcon } from '../../ui/icons.ts'
import { Chip } from '../../ui/parts.tsx'

const SEATS_SHOWN_MAX = 16
/** A thousand rooms are dense: their seats are most of the page. */
const DENSE_SEATS_SHOWN_MAX = 8
const HIGHLIGHT_MS = 900

type GroupProps = {
  mode: string
  rooms: readonly LiveRoom[]
  waiting: number
  isDense: boolean
  chosenId: string
  open: (id: string) => void
}

/** The rooms of a mode, one tile each. */
export function RoomTiles({ mode, rooms, waiting, isDense, chosenId, open }: GroupProps) {
  const grid = useRef<HTMLUListElement>(null)
  const taken = rooms.reduce((sum, room) => sum + room.players.length, 0)
  const seats = rooms.reduce((sum, room) => sum + room.maxPlayers, 0)

  /** The arrow keys follow the rows and columns that are visible. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow')) return
    const tiles = [...(grid.current?.querySelectorAll<HTMLElement>('.tile-room') ?? [])]
    const at = tiles.indexOf(document.activeElement as HTMLElement)
    const first = tiles[0]
    if (at < 0 || !first) return
    const columns = tiles.filter((tile) => tile.offsetTop === first.offsetTop).length
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key] ?? 0
    event.preventDefault()
    tiles[Math.min(Math.max(at + step, 0), tiles.length - 1)]?.focus()
  }
  return (
    <section class="mode" aria-label={`Mode ${mode}`}>
      <header class="mode-head">
        <h2>
          <code>{mode}</code>
        </h2>
        <span class="small soft tabular">{counted(rooms.length, 'room', 'rooms')}</span>
        <span class="occupancy" role="img" aria-label={`${taken} of ${seats} seats taken`}>
          <span style={{ width: `${seats ? (taken / seats) * 100 : 0}%` }} />
        </span>
        <span class="small faint tabular">
          {taken}/{seats}
        </span>
        {waiting > 0 && <Chip tone="warn">{waiting} waiting</Chip>}
      </header>
      <ul ref={grid} class={isDense ? 'map is-dense' : 'map'} onKeyDown={onKeyDown}>
        {rooms.map((room) => (
          <li key={room.id}>
            <StableTile room={room} isDense={isDense} isChosen={room.id === chosenId} open={open} />
          </li>
        ))}
      </ul>
    </section>
  )
}

type TileProps = { room: LiveRoom; isDense: boolean; isChosen: boolean; open: (id: string) => void }

const membersOf = ({ players }: LiveRoom) => players.map(({ id, connected }) => id + connected).join()

/** A dense tile shows no age. */
const appearance = ({ room, isDense, isChosen }: TileProps) =>
  [
    isDense ? 'dense' : age(room.createdAt),
    isChosen,
    room.locked,
    room.private,
    room.hostId,
    membersOf(room),
  ].join(' ')

/** Renders a tile again only if it would look different: there may be a thousand of them. */
class StableTile extends Component<TileProps> {
  override shouldComponentUpdate(next: TileProps) {
    return appearance(next) !== appearance(this.props)
  }
  override render(props: TileProps) {
    return <RoomTile {...props} />
  }
}

function RoomTile({ room, isDense, isChosen, open }: TileProps) {
  const members = membersOf(room)
  const membersBefore = useRef(members)
  const tile = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (membersBefore.current === members) return
    membersBefore.current = members
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    tile.current?.animate(
      [{ boxShadow: 'inset 0 0 0 3px var(--accent)' }, { boxShadow: 'inset 0 0 0 3px transparent' }],
      { duration: HIGHLIGHT_MS, easing: 'ease-out' },
    )
  }, [members])
  const away = room.players.filter(({ connected }) => !connected).length
  const seatsMax = isDense ? DENSE_SEATS_SHOWN_MAX : SEATS_SHOWN_MAX
  const free = Math.max(0, Math.min(room.maxPlayers, seatsMax) - room.players.length)
  const words = [
    `, ${room.players.length} of ${room.maxPlayers} seats`,
    away > 0 && `, ${away} disconnected`,
    room.locked && ', locked',
    room.private && ', private',
  ]
    .filter(Boolean)
    .join('')
  const classes = ['tile-room', room.players.length === room.maxPlayers && 'is-full', isChosen && 'is-chosen']
  return (
    <button
      ref={tile}
      type="button"
      class={classes.filter(Boolean).join(' ')}
      aria-pressed={isChosen}
      title={isDense ? room.code + words : undefined}
      onClick={() => open(room.id)}
    >
      {isDense ? (
        <span class="visually-hidden">
          Room {room.code}
          {words}
        </span>
      ) : (
        <span class="row tile-line">
          <span class="visually-hidden">Room</span>
          <code class="cut">{room.code}</code>
          <span class="visually-hidden">{words}</span>
          {room.locked && <Icon of={LockIcon} size={12} class="faint" />}
          {room.private && <Icon of={HiddenIcon} size={12} class="faint" />}
          <span class="grow" />
          <span class="tiny faint tabular">
            {age(room.createdAt)}
            <span class="visually-hidden"> old</span>
          </span>
        </span>
      )}
      <span class="seats" aria-hidden="true">
        {room.players.slice(0, seatsMax).map(({ id, connected }) => (
          <span
            key={id}
            class={`seat${connected ? '' : ' is-away'}${id === room.hostId ? ' is-host' : ''}`}
          />
        ))}
        {Array.from({ length: free }, (_, seat) => (
          <span key={`free ${seat}`} class="seat is-free" />
        ))}
      </span>
    </button>
  )
}
