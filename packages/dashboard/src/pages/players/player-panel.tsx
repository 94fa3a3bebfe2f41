import type { SanctionEntry } from '@svc/contract/moderation'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { ago, counted, exactly, number, onDate } from '../../format.ts'
import { download } from '../../platform.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import {
  BanIcon,
  DownloadIcon,
  LiveIcon,
  MoreIcon,
  SignOutIcon,
  TrashIcon,
  UndoIcon,
} from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago, Avatar, Chip, CopiedId, Facts, Name, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AgeGroup } from './age-group.tsx'
import { BanDialog } from './ban-dialog.tsx'
import { PlayerStats } from './player-stats.tsx'
import { SaveRow } from './save-row.tsx'
import { Section } from './section.tsx'
import { SignOutDialog } from './sign-out-dialog.tsx'

const EVERY_MS = 15_000

type Player = ResponseOf<'readPlayerDetail'>['player']

type Props = { route: Route; playerId: string; onClose: () => void }

/** Everything about one player, and the actions of a moderator. */
export function PlayerPanel({ route, playerId, onClose }: Props) {
  const answer = useCall('readPlayerDetail', { params: { ...route.params, playerId } }, { everyMs: EVERY_MS })
  return (
    <Panel title="Player" onClose={onClose}>
      <Loaded answer={answer} lines={10}>
        {({ player }) => <PlayerDetail key={player.id} route={route} player={player} onClose={onClose} />}
      </Loaded>
    </Panel>
  )
}

const refreshPlayers = () =>
  refresh('readPlayerDetail', 'searchPlayers', 'readOverview', 'readLiveView', 'listAudit', 'listAppeals')

function PlayerDetail({ route, player, onClose }: { route: Route; player: Player; onClose: () => void }) {
  const [dialog, setDialog] = useState<'none' | 'ban' | 'signOut' | 'delete'>('none')
  const closeDialog = () => setDialog('none')
  const params = { ...route.params, playerId: player.id }
  const { room } = player
  const { sanctions } = player
  const active = sanctions.find((one) => one.active)

  const unban = useAction(
    async () => {
      await call('unbanPlayer', { params, body: {} })
      notify(`${player.displayName} unbanned.`)
    },
    notifyError,
    refreshPlayers,
  )
  const exportData = useAction(async () => {
    const data = await call('exportPlayer', { params })
    download(`${player.id}.json`, 'application/json', JSON.stringify(data, null, 2))
    notify('Player data downloaded.')
    refresh('listAudit')
  }, notifyError)

  return (
    <>
      <div class="row person">
        <Avatar big name={player.displayName} id={player.id} />
        <div class="grow stack tight">
          <h2 class="cut">
            <Name>{player.displayName}</Name>
          </h2>
          <CopiedId id={player.id} />
        </div>
      </div>
      <div class="row wrap chips">
        {player.banned && (
          <Chip tone="bad" icon={BanIcon}>
            Banned
          </Chip>
        )}
        {player.isGuest ? <Chip>Guest</Chip> : <Chip tone="accent">Account</Chip>}
        {room && (
          <a href={route.href('live', room.id)}>
            <Chip tone="good" icon={LiveIcon}>
              In room {room.code}
            </Chip>
          </a>
        )}
      </div>
      <div class="row actions">
        {player.banned && isAllowed('unbanPlayer', route) && (
          <Button icon={UndoIcon} onClick={unban.run}>
            Lift ban
          </Button>
        )}
        {!player.banned && isAllowed('banPlayer', route) && (
          <Button icon={BanIcon} onClick={() => setDialog('ban')}>
            Ban…
          </Button>
        )}
        <Button icon={DownloadIcon} onClick={exportData.run}>
          Export
        </Button>
        {(isAllowed('signOutPlayer', route) || isAllowed('deletePlayer', route)) && (
          <>
            <Button icon={MoreIcon} label="More" popovertarget="player-more" />
            <Menu id="player-more" label="More">
              {isAllowed('signOutPlayer', route) && (
                <button type="button" onClick={() => setDialog('signOut')}>
                  <Icon of={SignOutIcon} /> Sign out everywhere…
                </button>
              )}
              {isAllowed('deletePlayer', route) && (
                <button type="button" onClick={() => setDialog('delete')}>
                  <Icon of={TrashIcon} /> Delete permanently…
                </button>
              )}
            </Menu>
          </>
        )}
      </div>
      <Allowed route={route} call="banPlayer" to="ban players, sign them out and correct ages" />
      <Allowed route={route} call="deletePlayer" to="delete players and change their saves and stats" />

      {active && <ActiveBan sanction={active} route={route} />}

      <Facts
        rows={[
          ['Joined', <Time iso={player.createdAt}>{onDate(player.createdAt)}</Time>],
          ['Last seen', <Ago iso={player.lastSeenAt} />],
          ['Email', <PlayerEmail player={player} />],
          ['Signs in with', player.identities.map(({ provider }) => provider).join(', ') || 'nothing'],
          ['Age group', <AgeGroup route={route} player={player} />],
          ['Connections', number(player.connections)],
          [
            'Sessions',
            player.sessions[0] ? (
              <>
                {counted(player.sessions.length, 'session', 'sessions')}{' '}
                <span class="faint">
                  latest <Ago iso={player.sessions[0].createdAt} />
                </span>
              </>
            ) : (
              'none'
            ),
          ],
        ]}
      />

      <PlayerStats route={route} playerId={player.id} />
      <Section title="Saves" empty="No saves." rows={player.saves}>
        {(save) => <SaveRow key={save.key} route={route} playerId={player.id} save={save} />}
      </Section>
      {player.signals.length > 0 && (
        <Section title="Rejected values" empty="" rows={player.signals}>
          {({ id, key, value, reason, at }) => (
            <tr key={id}>
              <td>
                <code>{key}</code> <span class="tabular">{String(value)}</span>
                <br />
                <span class="tiny is-warn">{reason.replaceAll('_', ' ')}</span>
              </td>
              <td class="num soft">
                <Ago iso={at} />
              </td>
            </tr>
          )}
        </Section>
      )}
      {sanctions.some((one) => !one.active) && (
        <Section title="Earlier bans" empty="" rows={sanctions.filter((one) => !one.active)}>
          {({ id, note, createdAt, endedAt }) => (
            <tr key={id}>
              <td>{note ?? <span class="faint">No reason given</span>}</td>
              <td class="num soft">
                <Time iso={createdAt}>{onDate(createdAt)}</Time>
                {endedAt && (
                  <>
                    {' – '}
                    <Time iso={endedAt}>{onDate(endedAt)}</Time>
                  </>
                )}
              </td>
            </tr>
          )}
        </Section>
      )}

      {dialog === 'ban' && (
        <BanDialog
          route={route}
          player={player}
          room={room}
          onClose={closeDialog}
          onBanned={(sessions) => {
            closeDialog()
            refreshPlayers()
            notify(`${player.displayName} banned. ${counted(sessions, 'session', 'sessions')} ended.`, {
              undo: unban.run,
            })
          }}
        />
      )}
      {dialog === 'signOut' && (
        <SignOutDialog route={route} player={player} onDone={refreshPlayers} onClose={closeDialog} />
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          route={route}
          title={
            <>
              Delete <bdi>{player.displayName}</bdi> permanently?
            </>
          }
          label={`Delete ${player.displayName}`}
          typed={player.displayName}
          typedLabel="Player name"
          submit={route.env === 'production' ? 'Delete in production' : 'Delete'}
          act={() => call('deletePlayer', { params })}
          onDone={() => {
            closeDialog()
            onClose()
            refreshPlayers()
            notify(`${player.displayName} deleted.`)
          }}
          onClose={closeDialog}
        >
          <p>Deletes the account with all its saves, stats and other data. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const PlayerEmail = ({ player: { email, emailVerified } }: { player: Player }) =>
  email === null ? (
    <span class="faint">none</span>
  ) : (
    <span class="row wrap">
      <bdi>{email}</bdi>
      <Chip tone={emailVerified ? 'good' : 'warn'}>{emailVerified ? 'Confirmed' : 'Not confirmed'}</Chip>
    </span>
  )

function ActiveBan({ sanction, route }: { sanction: SanctionEntry; route: Route }) {
  const { note, createdAt, expiresAt, appeal, by } = sanction
  return (
    <section class="ban-note">
      <p>
        <strong>{note ?? 'Banned, no reason given'}</strong>
      </p>
      <p class="tiny soft">
        Since {exactly(createdAt)}, {expiresAt ? `until ${exactly(expiresAt)}` : 'until it is lifted'}
        {by && (
          <>
            , by <bdi>{by.label}</bdi>
          </>
        )}
      </p>
      {appeal && (
        <blockquote>
          <p class="tiny faint">
            Appeal, {ago(appeal.createdAt)} · {appeal.status}
          </p>
          <p class="quote">
            <bdi>{appeal.message}</bdi>
          </p>
          {appeal.status === 'open' && (
            <a class="link small" href={route.href('moderation', appeal.id)}>
              Resolve in Moderation
            </a>
          )}
        </blockquote>
      )}
    </section>
  )
}
