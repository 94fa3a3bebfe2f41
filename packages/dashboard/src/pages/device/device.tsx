import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AccountIcon, WarningIcon } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, Facts } from '../../ui/parts.tsx'
import { EmptyState, ErrorNotice } from '../../ui/states.tsx'

type Request = ResponseOf<'findDeviceCode'>

/**
 * Signs a command line in: the developer types the code that it shows. A link never fills the code in, so that nobody confirms the
 * code of a stranger with one click.
 */
export default function Device() {
  const [request, setRequest] = useState<Request>()
  const [decided, setDecided] = useState<'confirmed' | 'refused'>()
  return (
    <Page title="Sign in the command line" class="narrow">
      {decided ? (
        <EmptyState inCard icon={AccountIcon} title={decided === 'confirmed' ? 'Signed in' : 'Refused'}>
          {decided === 'confirmed'
            ? 'Return to your terminal. You can end its session on the Account page.'
            : 'The command line was not signed in.'}
        </EmptyState>
      ) : request ? (
        <Decision request={request} onDecided={setDecided} />
      ) : (
        <CodeForm onFound={setRequest} />
      )}
    </Page>
  )
}

function CodeForm({ onFound }: { onFound(request: Request): void }) {
  const [code, setCode] = useState('')
  const { run, busy, error } = useAction(async () =>
    onFound(await call('findDeviceCode', { body: { code } })),
  )
  return (
    <Card title="Enter the code">
      <form class="form" onSubmit={submits(run)}>
        <TextField
          label="Code"
          hint="Your terminal shows it. It is valid for 10 minutes."
          problem={
            error?.code === 'invalid_code' ? 'This code is wrong, already used or expired.' : undefined
          }
          value={code}
          change={setCode}
          placeholder="ABCD-EFGH"
          maxLength={16}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          autofocus
        />
        {error && error.code !== 'invalid_code' && <ErrorNotice error={error} />}
        <div>
          <Button type="submit" kind="main" busy={busy} disabled={code.replace(/[\s-]/g, '').length < 8}>
            Continue
          </Button>
        </div>
      </form>
    </Card>
  )
}

type Props = { request: Request; onDecided(decision: 'confirmed' | 'refused'): void }

function Decision({ request, onDecided }: Props) {
  const { run, busy, error } = useAction(async (confirm: boolean) => {
    const { confirmed } = await call('decideDeviceCode', { body: { code: request.code, confirm } })
    onDecided(confirmed ? 'confirmed' : 'refused')
  })
  return (
    <Card title="A command line wants to sign in as you">
      <div class="form">
        <Facts
          rows={[
            ['Code', <code>{request.code}</code>],
            [
              'IP address',
              <span class="row wrap">
                <span>{request.address}</span>
                <Chip tone={request.isYourAddress ? 'good' : 'warn'}>
                  {request.isYourAddress ? 'Same as this browser' : 'Different from this browser'}
                </Chip>
              </span>,
            ],
            ['Requested', <Ago iso={request.createdAt} />],
          ]}
        />
        <p class="row">
          <Icon of={WarningIcon} size={18} />
          <span>Confirm only if your own terminal shows this code. It can then do everything you can.</span>
        </p>
        {error && <ErrorNotice error={error} />}
        <div class="row">
          <Button kind="main" busy={busy} onClick={() => run(true)}>
            Confirm
          </Button>
          <Button disabled={busy} onClick={() => run(false)}>
            Refuse
          </Button>
        </div>
      </div>
    </Card>
  )
}
