import type { AppealEntry } from '@svc/contract/moderation'
import { useLayoutEffect, useState } from 'preact/hooks'

import { exactly, number, onDate } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { isShortcut } from '../../ui/keys.ts'
import { Ago, Avatar, Chip, Facts, Name } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

type Props = {
  route: Route
  appeal: AppealEntry
  resolve: (appeal: AppealEntry, accept: boolean, response: string) => void
}

/** The ban and the appeal side by side, what is known about the player, and the decision. */
export function Appeal({ route, appeal, resolve }: Props) {
  const [response, setResponse] = useState('')
  const { player, sanction } = appeal
  const isOpen = appeal.status === 'open'

  // Not after the next paint: a key that is pressed before it would be lost.
  useLayoutEffect(() => {
    if (!isOpen || !isAllowed('resolveAppeal', route)) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) || event.repeat || (event.key !== 'a' && event.key !== 'r')) return
      event.preventDefault()
      resolve(appeal, event.key === 'a', response)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  return (
    <article class="inbox-one">
      <header class="row person">
        <Avatar big name={player.displayName} id={player.id} />
        <div class="grow stack tight">
          <h2 class="cut">
            <Name>{player.displayName}</Name>
          </h2>
          <a class="link small" href={route.href('players', player.id)}>
            Open player
          </a>
        </div>
        {!isOpen && (
          <Chip tone={appeal.status === 'accepted' ? 'good' : 'bad'}>
            {appeal.status === 'accepted' ? 'Accepted' : 'Rejected'}
          </Chip>
        )}
      </header>
      <div class="one-one sides">
        <section class="side is-ban">
          <h3>The ban</h3>
          <p>{sanction.note ?? <span class="soft">No reason given</span>}</p>
          <p class="tiny soft">
            {exactly(sanction.createdAt)},{' '}
            {sanction.expiresAt ? `ends ${onDate(sanction.expiresAt)}` : 'permanent'}
          </p>
        </section>
        <section class="side">
          <h3>The appeal</h3>
          <p class="quote">
            <bdi>{appeal.message}</bdi>
          </p>
          <p class="tiny faint">
            <Ago iso={appeal.createdAt} />
          </p>
        </section>
      </div>
      <KnownAboutPlayer route={route} playerId={player.id} sanctionId={sanction.id} />
      {isOpen && <Allowed route={route} call="resolveAppeal" to="resolve appeals" />}
      {isOpen && isAllowed('resolveAppeal', route) && (
        <form class="answer" onSubmit={(event) => event.preventDefault()}>
          <TextArea
            label="Reply to the player"
            hint="Optional. The player sees this text."
            rows={3}
            maxLength={2_000}
            value={response}
            change={setResponse}
          />
          <div class="row decide">
            <span class="tiny faint grow only-wide">You can undo this for 10 seconds.</span>
            <Button onClick={() => resolve(appeal, false, response)}>
              Reject{inProduction(route)} <kbd aria-hidden="true">r</kbd>
            </Button>
            <Button kind="main" onClick={() => resolve(appeal, true, response)}>
              Accept and lift ban{inProduction(route)} <kbd aria-hidden="true">a</kbd>
            </Button>
          </div>
        </form>
      )}
      {!isOpen && appeal.response && (
        <section class="side">
          <h3>The reply</h3>
          <p class="quote">{appeal.response}</p>
        </section>
      )}
    </article>
  )
}

type KnownAboutPlayerProps = { route: Route; playerId: string; sanctionId: string }

function KnownAboutPlayer({ route, playerId, sanctionId }: KnownAboutPlayerProps) {
  const detail = useCall('readPlayerDetail', { params: { ...route.params, playerId } })
  return (
    <Loaded answer={detail} lines={3}>
      {({ player }) => {
        const earlier = player.sanctions.filter(({ id }) => id !== sanctionId)
        return (
          <Facts
            rows={[
              ['Joined', onDate(player.createdAt)],
              [
                'Other bans',
                earlier.length === 0
                  ? 'none'
                  : earlier.slice(0, 5).map(({ id, note, createdAt }) => (
                      <span key={id} class="stack">
                        {note ?? 'No reason given'}, {onDate(createdAt)}
                      </span>
                    )),
              ],
              [
                'Rejected values',
                player.signals.length === 0
                  ? 'none'
                  : player.signals.slice(0, 3).map(({ id, key, value, reason }) => (
                      <span key={id} class="row wrap">
                        <code>{key}</code> {String(value)}{' '}
                        <Chip tone="warn">{reason.replaceAll('_', ' ')}</Chip>
                      </span>
                    )),
              ],
              [
                'Stats',
                Object.entries(player.stats)
                  .map(([key, value]) => `${key} ${number(value)}`)
                  .join(', ') || 'none',
              ],
            ]}
          />
        )
      }}
    </Loaded>
  )
}
