/** Texts for players in mails and on the built-in pages. The other languages have the same ones. */
export const en = {
  code: 'en',
  verify: {
    title: 'Confirm your email address',
    mail: {
      subject: (app: string) => `Confirm your email address for ${app}`,
      why: (app: string) => `Someone, probably you, used this email address to create an account in ${app}.`,
      button: 'Confirm',
      lifetime: 'This link can be used once and expires in 24 hours.',
    },
    page: { text: 'Click the button to confirm your email address.', button: 'Confirm' },
    done: { title: 'Confirmed', text: 'Your email address is confirmed. You can close this page.' },
  },
  reset: {
    title: 'Set a new password',
    mail: {
      subject: (app: string) => `Set a new password for ${app}`,
      why: (app: string) => `A new password was requested for your account in ${app}.`,
      button: 'Set a new password',
      lifetime: 'This link can be used once and expires in 30 minutes.',
    },
    page: { text: 'You will be signed out on all devices.', button: 'Save' },
    done: { title: 'Saved', text: 'You can now sign in with your new password.' },
    label: 'New password',
    lengthRule: 'At least 8 characters.',
  },
  ignore: 'If this was not you, ignore this email. Nothing will change.',
  pasteLabel: 'Link from the email',
  pasteHint: 'Copy the whole link from the email and paste it here.',
  /** The label of the link to the app. */
  back: (app: string) => `Back to ${app}`,
  over: {
    title: 'This link no longer works',
    text: 'It was already used, has expired, or was replaced by a newer one. Request a new link in the app.',
  },
  tooMany: { title: 'Too many attempts', text: 'Wait a minute, then go back and try again.' },
  /** In mails about an address that was used before its owner confirmed it. */
  ownership: {
    /** In the mail that asks for confirmation. */
    notYours: (app: string) =>
      `If you did not create this account, do not confirm it. To make it yours and sign everybody else out, use “Forgot password” in ${app}.`,
    /** In the mail with the link to set a new password, while the address is not confirmed. */
    firstProof:
      'Your address was never confirmed for this account. If you set a new password, everything that was attached to the account before is removed: other sign-in methods, such as Google, transfer codes and all sessions.',
    /** After a new password was set that way, when sign-in methods were removed. */
    removed: {
      subject: (app: string) => `Sign-in methods were removed from your account in ${app}`,
      title: 'Sign-in methods were removed',
      text: (app: string, methods: string) =>
        `You confirmed your address for an account in ${app} by setting a new password. These sign-in methods were attached before and were removed: ${methods}. All devices were signed out. You can attach your own again in the app.`,
    },
  },
}

/** The texts of one language. */
export type Messages = typeof en
