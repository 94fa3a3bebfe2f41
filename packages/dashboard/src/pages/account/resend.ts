import { call } from '../../developer.ts'
import { notify, notifyError } from '../../ui/messages.tsx'

/** Sends the email again that confirms the address of the developer. */
export const resendVerification = () =>
  call('resendVerification', {}).then(
    ({ sent }) => notify(sent ? 'Email sent.' : 'Your email is already confirmed.'),
    notifyError,
  )
