import type { Change } from '@svc/contract/config/config'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { counted } from '../../format.ts'
import { refresh } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { ChangesList } from './changes-list.tsx'

type Props = {
  route: Route
  config: unknown
  changes: readonly Change[]
  onPushed: (version: number) => void
  onClose: () => void
}

/** `review` shows the difference between a document and the current one, in a dialog that can push it. */
export function usePush(route: Route, onPushed?: (version: number) => void) {
  const [reviewed, setReviewed] = useState<Pick<Props, 'config' | 'changes'>>()
  const close = () => setReviewed(undefined)
  /** Throws the refusal of the service. */
  const review = async (config: unknown) => {
    const reply = await call('pushConfig', { params: route.params, query: { dryRun: true }, body: config })
    setReviewed({ config, changes: 'changes' in reply ? reply.changes : [] })
  }
  const dialog = reviewed && (
    <PushDialog
      route={route}
      {...reviewed}
      onPushed={(version) => {
        onPushed?.(version)
        close()
      }}
      onClose={close}
    />
  )
  return { review, dialog }
}

/** The difference, before it takes effect. */
function PushDialog({ route, config, changes, onPushed, onClose }: Props) {
  const push = useAction(async () => {
    const answer = await call('pushConfig', { params: route.params, query: {}, body: config })
    if (!('version' in answer)) return
    notify(`Config v${answer.version} pushed.`)
    refreshConfig()
    onPushed(answer.version)
  })
  return (
    <FormDialog
      route={route}
      title="Push this config?"
      label="Push config"
      about={
        changes.length === 0
          ? 'No changes.'
          : `${counted(changes.length, 'change', 'changes')}, applied immediately.`
      }
      submit={`Push${inProduction(route)}`}
      disabled={changes.length === 0}
      wide
      action={push}
      onClose={onClose}
    >
      <ChangesList changes={changes} />
    </FormDialog>
  )
}

/** After a change of the config. */
export const refreshConfig = () =>
  refresh(
    'readConfig',
    'listConfigVersions',
    'listFeatures',
    'readOverview',
    'listAudit',
    'readHosting',
    'listDeployments',
  )
