import type { AdminEntry, LeaderboardSummary } from '@svc/contract/leaderboards'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { counted, number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LeaderboardsIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments, Snippet } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { Entries } from './entries.tsx'

const EVERY_MS = 10_000
const PERIODS = { allTime: 'All time', daily: 'Day', weekly: 'Week', monthly: 'Month' } as const

/** The leaderboards of the config: entries, closed periods, and the actions on an entry. */
export default function Leaderboards({ route }: { route: Route }) {
  const answer = useCall('listLeaderboards', { params: route.params }, { everyMs: EVERY_MS })
  const [isResetting, setResetting] = useState(false)
  const boards = answer.data?.leaderboards ?? []
  const board = boards.find(({ key }) => key === route.id) ?? boards[0]
  return (
    <Page
      title="Leaderboards"
      side={
        board && (
          <Allowed route={route} call="resetLeaderboard" to="reset leaderboards">
            <Button onClick={() => setResetting(true)}>Reset{inProduction(route)}</Button>
          </Allowed>
        )
      }
    >
      <Loaded answer={answer} inCard>
        {() =>
          board ? (
            <Board
              route={route}
              boards={boards}
              board={board}
              isResetting={isResetting}
              endReset={() => setResetting(false)}
            />
          ) : (
            <NoBoards route={route} />
          )
        }
      </Loaded>
    </Page>
  )
}

const NoBoards = ({ route }: { route: Route }) => (
  <EmptyState
    inCard
    icon={LeaderboardsIcon}
    title="No leaderboards"
    action={
      <LinkButton kind="main" href={route.href('config', '', { path: '$.stats' })}>
        Open Config
      </LinkButton>
    }
  >
    <p>A stat with a leaderboard ranks players over all time and per day, week or month.</p>
    <Snippet
      label="Config"
      code={`"features": { "stats": true },\n"stats": [{ "key": "points", "aggregation": "max",\n            "leaderboard": { "periods": ["allTime", "daily"] } }]`}
    />
  </EmptyState>
)

type BoardProps = {
  route: Route
  boards: readonly LeaderboardSummary[]
  board: LeaderboardSummary
  isResetting: boolean
  endReset: () => void
}

function Board({ route, boards, board, isResetting, endReset }: BoardProps) {
  const { key } = board
  const period = board.periods.find((one) => one.period === route.query['period']) ?? board.periods[0]
  const at = route.query['at']
  const closed = useCall('listLeaderboardPeriodsAsAdmin', { params: { ...route.params, key } })
  const [removed, setRemoved] = useState<AdminEntry>()
  // Leaves dialogs open: a player may have been hidden while one was opened.
  const changed = (text: string) => {
    refresh('listLeaderboards', 'readLeaderboardAsAdmin', 'listLeaderboardPeriodsAsAdmin', 'listAudit')
    notify(text)
  }
  const ofPeriod = closed.data?.periods.filter((one) => one.period === period?.period) ?? []
  if (!period) return null
  return (
    <>
      <div class="row wrap">
        {boards.length > 1 && (
          <Segments
            label="Leaderboard"
            items={boards.map((one) => ({ id: one.key, title: one.key }))}
            chosen={key}
            choose={(id) => route.go('leaderboards', id)}
          />
        )}
        {board.periods.length > 1 && (
          <Segments
            label="Period"
            items={board.periods.map((one) => ({ id: one.period, title: PERIODS[one.period] }))}
            chosen={period.period}
            choose={(id) => route.go('leaderboards', key, { period: id })}
          />
        )}
        <span class="grow" />
        {ofPeriod.length > 0 && (
          <label class="row">
            <span class="visually-hidden">Closed periods</span>
            <select
              value={at ?? ''}
              onChange={({ currentTarget: { value } }) =>
                route.go('leaderboards', key, { period: period.period, at: value || undefined })
              }
            >
              <option value="">Now</option>
              {ofPeriod.map(({ label }) => (
                <option key={label} value={label}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p class="soft page-about">
        <code>{key}</code>, {board.order === 'desc' ? 'the highest' : 'the lowest'} value first
        {board.verifiedOnly && ', only values approved by your webhook'}.{' '}
        {at === undefined && counted(period.count, 'player', 'players')}
      </p>
      <Allowed route={route} call="hideLeaderboardEntry" to="hide and remove entries" />
      <Entries
        key={`${key} ${period.period} ${at ?? ''}`}
        route={route}
        board={key}
        period={period.period}
        at={at}
        remove={setRemoved}
        changed={changed}
      />
      {removed && (
        <ConfirmDialog
          route={route}
          title="Remove entry?"
          label="Remove entry"
          typed={removed.displayName ?? removed.playerId}
          typedLabel="Player name"
          submit={`Remove${inProduction(route)}`}
          act={() =>
            call('removeLeaderboardEntry', { params: { ...route.params, key, playerId: removed.playerId } })
          }
          onDone={() => {
            setRemoved(undefined)
            changed('Entry removed.')
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            Deletes the value {number(removed.value)} and this player’s other <code>{key}</code> values,
            including closed periods. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
      {isResetting && (
        <ConfirmDialog
          route={route}
          title={
            <>
              Reset <code>{key}</code>?
            </>
          }
          label="Reset leaderboard"
          typed={key}
          typedLabel="Stat key"
          submit={`Reset${inProduction(route)}`}
          act={() => call('resetLeaderboard', { params: { ...route.params, key } })}
          onDone={() => {
            endReset()
            changed('Leaderboard reset.')
          }}
          onClose={endReset}
        >
          <p>
            Deletes all players’ <code>{key}</code> values. Closed periods are kept. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
