import { SvcError } from '@svc/sdk/developer'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { asSvcError } from '../../developer.ts'
import { exchangeReturnedCode, providerTitle, startExternalSignIn } from '../../external-sign-in.ts'
import { usePath } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { AccountIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/states.tsx'

/** A tab that a `ProofField` has opened: leads to the provider, and sends the token that it gets afterwards to that field. */
export default function Confirm() {
  const [, provider = ''] = usePath()
  const { query } = useLocation()
  const [isDone, setDone] = useState(false)
  const { run, error } = useAction(async () => {
    const exchanged = await exchangeReturnedCode().catch(explain(provider))
    if (!exchanged) return startExternalSignIn(provider, 'reauth')
    if (!('reauthToken' in exchanged)) return
    const field = new BroadcastChannel(query['to'] ?? '')
    field.postMessage(exchanged.reauthToken)
    field.close()
    setDone(true)
    // A browser that does not allow it shows the text below.
    window.close()
  })
  useEffect(run, [])
  return (
    <Page title="Confirm that it is you" class="narrow">
      {error && <ErrorNotice error={error} again={run} />}
      {isDone && (
        <EmptyState inCard icon={AccountIcon} title="Confirmed">
          Close this tab and continue in the previous one.
        </EmptyState>
      )}
      {!isDone && !error && <Skeleton />}
    </Page>
  )
}

const explain = (provider: string) => (failure: unknown) => {
  const error = asSvcError(failure)
  if (error.code !== 'identity_not_found') throw error
  const title = providerTitle(provider)
  const message = `You signed in to ${title} with an account that is not linked to yours here. Choose the linked one.`
  throw new SvcError(error.code, { message })
}
