import type { KeyType, KeyView } from '@svc/contract/developers/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EditIcon, KeysIcon, PlusIcon, TrashIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Chip, Copy, Time } from '../../ui/parts.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { ACTIONS, TableHead } from '../../ui/table-head.tsx'
import { LabelDialog } from './label-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

const EVERY_MS = 60_000

const keyName = ({ type, last4 }: { type: KeyType; last4: string }) =>
  `${type === 'secret' ? 'sk_' : 'pk_'}…${last4}`

/** The keys of an environment: create, label, revoke. */
export default function Keys({ route }: { route: Route }) {
  const answer = useCall('listKeys', { params: route.params }, { everyMs: EVERY_MS })
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<KeyView>()
  const [relabelled, setRelabelled] = useState<KeyView>()
  const changed = () => refresh('listKeys', 'readOverview', 'listAudit')
  return (
    <Page
      title="Keys"
      side={
        <Allowed route={route} call="createKey" to="create keys">
          <Button kind="main" icon={PlusIcon} onClick={() => setCreating(true)}>
            New key
          </Button>
        </Allowed>
      }
    >
      <p class="soft page-about">
        Publishable keys are safe in a page and always shown here. Secret keys belong on servers: they can
        read and change everything in {route.env}, and are shown only once.
      </p>
      <Allowed route={route} call="revokeKey" to="label and revoke keys" />
      <LoadedCard class="table-card" answer={answer} lines={6}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon={KeysIcon} title="No keys">
              Apps need a key to use this environment.
            </EmptyState>
          ) : (
            <KeysTable route={route} keys={keys} revoke={setRevoked} relabel={setRelabelled} />
          )
        }
      </LoadedCard>
      {isCreating && <NewKeyDialog route={route} onCreated={changed} onClose={() => setCreating(false)} />}
      {relabelled && (
        <LabelDialog
          route={route}
          keyView={relabelled}
          onSaved={changed}
          onClose={() => setRelabelled(undefined)}
        />
      )}
      {revoked && (
        <ConfirmDialog
          route={route}
          title={
            <>
              Revoke <code>{keyName(revoked)}</code>?
            </>
          }
          label="Revoke key"
          typed={revoked.last4}
          typedLabel="Last four characters of the key"
          submit={`Revoke${inProduction(route)}`}
          act={() => call('revokeKey', { params: { projectId: route.project.id, keyId: revoked.id } })}
          onDone={() => {
            setRevoked(undefined)
            changed()
            notify('Key revoked.')
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>Requests with this key are rejected immediately. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

/** A publishable key is public, so it can be copied; of a secret key only the end is known. */
const KeyText = ({ of }: { of: KeyView }) =>
  of.plaintext === null ? (
    <code>{keyName(of)}</code>
  ) : (
    <Copy text={of.plaintext} label={`Copy key ${keyName(of)}`}>
      <code class="key-text">{of.plaintext}</code>
    </Copy>
  )

type TableProps = {
  route: Route
  keys: readonly KeyView[]
  revoke: (key: KeyView) => void
  relabel: (key: KeyView) => void
}

const KeysTable = ({ route, keys, revoke, relabel }: TableProps) => (
  <table class="table">
    <TableHead columns={['Key', ['Created', 'col-joined'], 'Last used', ACTIONS]} />
    <tbody>
      {keys.map((key) => (
        <tr key={key.id}>
          <td>
            <span class="stack tight cell">
              <span class="row">
                <KeyText of={key} />
                <Chip tone={key.type === 'secret' ? 'warn' : 'neutral'}>
                  {key.type === 'secret' ? 'Secret' : 'Publishable'}
                </Chip>
              </span>
              <bdi class="tiny faint">{key.label ?? 'no label'}</bdi>
              {key.type === 'publishable' && key.plaintext === null && (
                <span class="tiny faint">
                  Created by an earlier version. Create a new key to see it here.
                </span>
              )}
            </span>
          </td>
          <td class="soft col-joined">
            <span class="stack tight cell">
              <Time iso={key.createdAt}>{onDate(key.createdAt)}</Time>
              {key.createdBy && <bdi class="tiny faint cut">{key.createdBy.label}</bdi>}
            </span>
          </td>
          <td class="soft">
            {key.lastUsedAt ? <Ago iso={key.lastUsedAt} /> : <span class="faint">never</span>}
          </td>
          <td class="num">
            <span class="row end">
              {isAllowed('relabelKey', route) && (
                <Button
                  small
                  kind="quiet"
                  icon={EditIcon}
                  label={`Label ${keyName(key)}`}
                  onClick={() => relabel(key)}
                />
              )}
              {isAllowed('revokeKey', route) && (
                <Button
                  small
                  kind="quiet"
                  icon={TrashIcon}
                  label={`Revoke ${keyName(key)}`}
                  onClick={() => revoke(key)}
                />
              )}
            </span>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
