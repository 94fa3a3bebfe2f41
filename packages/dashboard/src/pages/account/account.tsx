import { useEffect } from 'preact/hooks'

import { exchangeReturnedCode } from '../../external-sign-in.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Card, Chip, Facts, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Identities } from './identities.tsx'
import { NameForm } from './name-form.tsx'
import { PasswordCard } from './password-card.tsx'
import { resendVerification } from './resend.ts'
import { Sessions } from './sessions.tsx'

/** The account of the developer: name, password, sign-in methods, sessions, deletion. */
export default function Account() {
  const me = useCall('readMe', {})
  useEffect(() => {
    exchangeReturnedCode().then((exchanged) => {
      if (!exchanged || !('identity' in exchanged)) return
      refresh('listIdentities', 'readMe')
      notify('Sign-in method added.')
    }, notifyError)
  }, [])
  return (
    <Page title="Account" class="narrow">
      <Loaded answer={me} lines={6} inCard>
        {({ developer }) => (
          <>
            <Card title="You">
              <Facts
                rows={[
                  ['Name', <NameForm name={developer.name} />],
                  [
                    'Email',
                    <span class="row wrap">
                      <bdi>{developer.email}</bdi>
                      <Chip tone={developer.emailVerified ? 'good' : 'warn'}>
                        {developer.emailVerified ? 'Confirmed' : 'Not confirmed'}
                      </Chip>
                      {!developer.emailVerified && (
                        <Button small onClick={resendVerification}>
                          Resend email
                        </Button>
                      )}
                    </span>,
                  ],
                  ['Since', <Time iso={developer.createdAt}>{onDate(developer.createdAt)}</Time>],
                  developer.isOperator && ['Role', <Chip tone="accent">Operator</Chip>],
                ]}
              />
            </Card>
            <PasswordCard hasPassword={developer.hasPassword} />
            <Identities hasPassword={developer.hasPassword} />
            <Sessions />
            <DeleteAccount developer={developer} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
